// Draws in the picture of a device's camera: anchors with their axes and names, the cloud of the map as a ghost to check by
// eye, and a ring where the middle of the picture meets a surface.
import { $, element, hue, seenName } from "/dom.js";
import { AXES } from "/lines.js";
import { product } from "/view.js";

const VERTEX = `#version 300 es
uniform mat4 matrix;
uniform float size;
in vec3 position;
void main() { gl_Position = matrix * vec4(position, 1.0); gl_PointSize = clamp(size / gl_Position.w, 1.0, 6.0); }`;
const FRAGMENT = `#version 300 es
precision mediump float;
uniform vec4 color;
out vec4 tint;
void main() { tint = color; }`;

const LENGTH = 0.1; // metres of an axis
const GHOST = 20000; // points of the map, of which any beginning is an even sample

export class Scene {
  // What is drawn with, for a session; the cloud is that of the page's own picture.
  static async make(session, view) {
    const { gl } = view;
    if (!gl) throw new Error("this browser has no WebGL 2");
    await gl.makeXRCompatible();
    const layer = new XRWebGLLayer(session, gl);
    session.updateRenderState({ baseLayer: layer });
    return new Scene(view, layer);
  }

  constructor(view, layer) {
    Object.assign(this, { view, layer, gl: view.gl });
    const { gl } = this;
    // The cloud's own array has its cells there.
    const place = view.points.at("position", true);
    this.program = view.program(VERTEX, FRAGMENT, { position: place });
    this.array = gl.createVertexArray();
    this.buffer = gl.createBuffer();
    gl.bindVertexArray(this.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    gl.enableVertexAttribArray(place);
    gl.vertexAttribPointer(place, 3, gl.FLOAT, false, 12, 0);
  }

  draw(pose, { anchors, cloud, reticle }) {
    const { gl, layer } = this;
    gl.bindFramebuffer(gl.FRAMEBUFFER, layer.framebuffer);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.useProgram(this.program.program);
    for (const part of pose.views) {
      const { x, y, width, height } = layer.getViewport(part);
      gl.viewport(x, y, width, height);
      const camera = product(part.projectionMatrix, part.transform.inverse.matrix);
      if (cloud) this.drawCloud(product(camera, cloud), height);
      for (const { transform } of anchors) this.drawAxes(product(camera, transform));
      if (reticle) this.drawRing(product(camera, reticle));
      this.drawNames(camera, anchors);
    }
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
  }

  // The page's own picture is back.
  end() {
    $("ar-labels").replaceChildren();
    this.view.redraw();
  }

  set(matrix, color, size = 1) {
    const { gl, program } = this;
    gl.uniformMatrix4fv(program.at("matrix"), false, matrix);
    gl.uniform4fv(program.at("color"), color);
    gl.uniform1f(program.at("size"), size);
  }

  drawCloud(matrix, height) {
    const { gl, view } = this;
    if (!view.count) return;
    gl.bindVertexArray(view.cloud.array);
    this.set(product(matrix, view.cells), [0.37, 0.92, 0.83, 0.5], 0.004 * height);
    gl.drawArrays(gl.POINTS, 0, Math.min(view.count, GHOST));
  }

  drawLines(matrix, color, floats, kind) {
    const { gl } = this;
    gl.bindVertexArray(this.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(floats), gl.DYNAMIC_DRAW);
    this.set(matrix, color);
    gl.drawArrays(kind, 0, floats.length / 3);
  }

  drawAxes(matrix) {
    AXES.forEach((color, axis) => {
      this.drawLines(matrix, color, [0, 0, 0, ...[0, 1, 2].map((other) => (other === axis ? LENGTH : 0))], this.gl.LINES);
    });
  }

  drawRing(matrix) {
    const floats = Array.from({ length: 24 }, (_, i) => [Math.sin((i * Math.PI) / 12) * 0.05, 0, Math.cos((i * Math.PI) / 12) * 0.05]);
    this.drawLines(matrix, [1, 1, 1, 1], floats.flat(), this.gl.LINE_LOOP);
  }

  // The names stand in the overlay, which a device with one picture shows.
  drawNames(camera, anchors) {
    const labels = anchors.flatMap(({ name, transform, creator }) => {
      const [x, y, , w] = [0, 1, 2, 3].map((row) => [0, 1, 2, 3].reduce((sum, k) => sum + camera[4 * k + row] * transform[12 + k], 0));
      if (w <= 0 || Math.abs(x) > w || Math.abs(y) > w) return [];
      const label = element("div", { textContent: seenName(name) });
      label.style.left = `${50 + (50 * x) / w}%`;
      label.style.top = `${50 - (50 * y) / w}%`;
      label.style.borderColor = creator ? `hsl(${hue(creator.id)} 75% 55%)` : "white";
      return [label];
    });
    $("ar-labels").replaceChildren(...labels);
  }
}
