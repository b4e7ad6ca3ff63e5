// Draws the map with WebGL 2: points in their own colours or by height, a grid on the floor, the axes of anchors, the
// devices of other peers. Without WebGL 2 it keeps the camera, so that labels have their places.
import { Camera } from "/camera.js";
import { hue } from "/dom.js";

const POINTS = `#version 300 es
uniform mat4 matrix;
uniform vec3 low, high, clipLow, clipHigh;
uniform vec3 ground;
uniform float size, fogNear, fogFar, ownShare;
in vec3 position, own;
out vec4 tint;

// The Turbo colour map (A. Mikhailov, 2019) as a polynomial, darkened at its ends.
vec3 turbo(float x) {
  vec4 v4 = vec4(1.0, x, x * x, x * x * x);
  vec2 v2 = v4.zw * v4.z;
  return vec3(
    dot(v4, vec4(0.13572138, 4.61539260, -42.66032258, 132.13108234)) + dot(v2, vec2(-152.94239396, 59.28637943)),
    dot(v4, vec4(0.09140261, 2.19418839, 4.84296658, -14.18503333)) + dot(v2, vec2(4.27729857, 2.82956604)),
    dot(v4, vec4(0.10667330, 12.64194608, -60.58204836, 110.36276771)) + dot(v2, vec2(-89.90310912, 27.34824973)));
}

void main() {
  gl_Position = matrix * vec4(position, 1.0);
  bool hidden = any(lessThan(position, clipLow)) || any(greaterThan(position, clipHigh));
  if (hidden) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
  gl_PointSize = clamp(size / gl_Position.w, 1.5, 14.0);
  float height = clamp((position.y - low.y) / max(high.y - low.y, 0.01), 0.0, 1.0);
  float fog = clamp((gl_Position.w - fogNear) / max(fogFar - fogNear, 0.01), 0.0, 1.0);
  tint = vec4(mix(mix(turbo(0.1 + 0.78 * height), own, ownShare), ground, 0.45 * fog), 1.0);
}`;

const DISC = `#version 300 es
precision mediump float;
in vec4 tint;
out vec4 colour;
void main() {
  float radius = length(gl_PointCoord - 0.5);
  if (radius > 0.5) discard;
  colour = vec4(tint.rgb * (1.1 - 0.9 * radius * radius), tint.a);
}`;

const LINES = `#version 300 es
uniform mat4 matrix;
in vec3 position;
in vec4 colour;
out vec4 tint;
void main() { gl_Position = matrix * vec4(position, 1.0); tint = colour; }`;

const FLAT = `#version 300 es
precision mediump float;
in vec4 tint;
out vec4 colour;
void main() { colour = tint; }`;

export class View {
  camera = new Camera();
  low = [-2, -2, -2];
  high = [2, 2, 2];
  isOpen = true;
  ceiling = 1; // the share of the height that is shown
  pointSize = 2;
  showsOwnColours = true;
  onframe = () => {};

  constructor(canvas) {
    this.canvas = canvas;
    this.gl = canvas.getContext("webgl2", { antialias: true, alpha: false });
    new ResizeObserver(() => this.redraw()).observe(canvas);
    matchMedia("(prefers-color-scheme: light)").onchange = () => this.redraw();
    if (!this.gl) return;
    this.points = this.program(POINTS, DISC);
    this.lines = this.program(LINES, FLAT);
    this.cloud = this.buffers(this.points, [["position", 3]]);
    this.tints = this.gl.createBuffer();
    this.grid = this.buffers(this.lines, [["position", 3], ["colour", 4]]);
    this.marks = this.buffers(this.lines, [["position", 3], ["colour", 4]]);
  }

  // Whether there is a picture.
  get isAvailable() { return this.gl !== null; }

  program(vertex, fragment) {
    const gl = this.gl;
    const program = gl.createProgram();
    for (const [kind, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
      gl.attachShader(program, shader);
    }
    gl.linkProgram(program);
    const at = (name) => gl.getUniformLocation(program, name);
    return { program, at };
  }

  // A vertex array of interleaved floats.
  buffers({ program }, attributes) {
    const gl = this.gl;
    const array = gl.createVertexArray();
    const buffer = gl.createBuffer();
    const width = attributes.reduce((sum, [, count]) => sum + count, 0);
    gl.bindVertexArray(array);
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    let offset = 0;
    for (const [name, count] of attributes) {
      const place = gl.getAttribLocation(program, name);
      gl.enableVertexAttribArray(place);
      gl.vertexAttribPointer(place, count, gl.FLOAT, false, width * 4, offset * 4);
      offset += count;
    }
    return { array, buffer, width, count: 0 };
  }

  fill(target, floats) {
    const gl = this.gl;
    this.redraw();
    if (!gl) return;
    gl.bindBuffer(gl.ARRAY_BUFFER, target.buffer);
    gl.bufferData(gl.ARRAY_BUFFER, floats, gl.STATIC_DRAW);
    target.count = floats.length / target.width;
  }

  // Shows the points of the server's buffer, and gives their number; see PointBuffer.swift for its layout.
  show(buffer, minimum, maximum) {
    const [count, hasColours] = new Uint32Array(buffer, 0, 2);
    this.fill(this.cloud, new Float32Array(buffer, 8, 3 * count));
    this.hasColours = hasColours === 1;
    if (this.hasColours) this.colour(new Uint8Array(buffer, 8 + 12 * count, 3 * count));
    const isElsewhere = `${[minimum, maximum]}` !== `${[this.low, this.high]}`;
    this.low = minimum;
    this.high = maximum;
    if (isElsewhere) this.fit();
    this.fill(this.grid, gridLines(minimum, maximum));
    return count;
  }

  // Gives the points their own colours.
  colour(bytes) {
    const { gl } = this;
    if (!gl) return;
    const place = gl.getAttribLocation(this.points.program, "own");
    gl.bindVertexArray(this.cloud.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.tints);
    gl.bufferData(gl.ARRAY_BUFFER, bytes, gl.STATIC_DRAW);
    gl.enableVertexAttribArray(place);
    gl.vertexAttribPointer(place, 3, gl.UNSIGNED_BYTE, true, 3, 0);
  }

  // Shows the whole map from a direction.
  fit(yaw, pitch) {
    this.camera.aspectRatio = this.canvas.clientWidth / this.canvas.clientHeight || 1;
    this.camera.frame(this.low, this.high, yaw, pitch);
    this.redraw();
  }

  // The axes of anchors: x red, y green, z blue, 20 cm long or more in a large map, and a line down to the floor; the
  // devices of peers as what a camera there sees; and a line between two places.
  mark(transforms, devices = [], line = []) {
    const floats = [];
    const length = Math.max(0.2, 0.03 * this.radius);
    const colours = [[1, 0.35, 0.35, 1], [0.3, 0.85, 0.3, 1], [0.45, 0.6, 1, 1]];
    for (const matrix of transforms) {
      const origin = matrix.slice(12, 15);
      colours.forEach((colour, axis) => {
        floats.push(...origin, ...colour, ...locate(matrix, [0, 1, 2].map((other) => (other === axis ? length : 0))), ...colour);
      });
      const drop = [0.9, 0.7, 0.25, 0.45];
      floats.push(...origin, ...drop, origin[0], this.low[1], origin[2], ...drop);
    }
    for (const { peer, transform } of devices) {
      const colour = [...rgb(hue(peer)), 1];
      const corners = [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([x, y]) => locate(transform, [x * 0.6 * length, y * 0.45 * length, -length]));
      corners.forEach((corner, index) => {
        floats.push(...transform.slice(12, 15), ...colour, ...corner, ...colour);
        floats.push(...corner, ...colour, ...corners[(index + 1) % 4], ...colour);
      });
    }
    for (const end of line) floats.push(...end, 0.95, 0.4, 0.7, 1);
    this.fill(this.marks, new Float32Array(floats));
  }

  // The box of what is shown: below the ceiling and, cut open, without the walls between the camera and the room.
  get clip() {
    const margin = this.high.map((v, axis) => 0.07 * (v - this.low[axis]));
    const low = this.low.map(() => -1e9);
    const high = this.high.map(() => 1e9);
    if (this.isOpen) {
      const eye = this.camera.eye;
      for (const axis of [0, 1, 2]) {
        if (eye[axis] > this.high[axis]) high[axis] = this.high[axis] - margin[axis];
        if (eye[axis] < this.low[axis]) low[axis] = this.low[axis] + margin[axis];
      }
    }
    if (this.ceiling < 1) high[1] = Math.min(high[1], this.low[1] + this.ceiling * (this.high[1] - this.low[1]));
    return [low, high];
  }

  // Half the diagonal of the map (metres).
  get radius() {
    return Math.hypot(...this.high.map((v, axis) => v - this.low[axis])) / 2;
  }

  redraw() {
    if (this.isWaiting) return;
    this.isWaiting = true;
    requestAnimationFrame(() => {
      this.isWaiting = false;
      this.draw();
    });
  }

  draw() {
    const { gl, canvas, camera } = this;
    const scale = window.devicePixelRatio || 1;
    const [width, height] = [canvas.clientWidth * scale, canvas.clientHeight * scale].map(Math.round);
    if (canvas.width !== width || canvas.height !== height) [canvas.width, canvas.height] = [width, height];
    if (!width || !height) return;
    camera.aspectRatio = width / height;
    if (!gl) return this.onframe();
    this.ground = getComputedStyle(canvas).backgroundColor.match(/\d+/g).slice(0, 3).map((v) => v / 255);
    gl.viewport(0, 0, width, height);
    gl.clearColor(...this.ground, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    const matrix = camera.matrix();
    this.drawLines(this.grid, matrix);
    this.drawPoints(matrix, height);
    gl.disable(gl.DEPTH_TEST);
    this.drawLines(this.marks, matrix);
    this.onframe();
  }

  drawPoints(matrix, height) {
    const { gl, camera, points, radius } = this;
    const [clipLow, clipHigh] = this.clip;
    gl.useProgram(points.program);
    gl.uniformMatrix4fv(points.at("matrix"), false, matrix);
    gl.uniform3fv(points.at("low"), this.low);
    gl.uniform3fv(points.at("high"), this.high);
    gl.uniform3fv(points.at("clipLow"), clipLow);
    gl.uniform3fv(points.at("clipHigh"), clipHigh);
    gl.uniform3fv(points.at("ground"), this.ground);
    gl.uniform1f(points.at("ownShare"), this.hasColours && this.showsOwnColours ? 1 : 0);
    // A point is a disc of some millimetres, so that near ones are larger.
    gl.uniform1f(points.at("size"), 0.008 * this.pointSize * radius * camera.focalLength * height * 0.25);
    gl.uniform1f(points.at("fogNear"), camera.distance - radius * 0.6);
    gl.uniform1f(points.at("fogFar"), camera.distance + radius * 1.4);
    gl.bindVertexArray(this.cloud.array);
    gl.drawArrays(gl.POINTS, 0, this.cloud.count);
  }

  drawLines(target, matrix) {
    const { gl, lines } = this;
    gl.useProgram(lines.program);
    gl.uniformMatrix4fv(lines.at("matrix"), false, matrix);
    gl.bindVertexArray(target.array);
    gl.drawArrays(gl.LINES, 0, target.count);
  }
}

// A place of a column-major transform's own frame, in that of the map.
function locate(matrix, [x, y, z]) {
  return [0, 1, 2].map((row) => matrix[12 + row] + x * matrix[row] + y * matrix[4 + row] + z * matrix[8 + row]);
}

// The colour of hsl(hue 75% 55%).
function rgb(hue) {
  return [0, 8, 4].map((n) => {
    const k = (n + hue / 30) % 12;
    return 0.55 - 0.3375 * Math.max(-1, Math.min(k - 3, 9 - k, 1));
  });
}

// A grid on the floor, of one metre or in a large map more, fading outwards.
function gridLines(minimum, maximum) {
  const floor = minimum[1];
  const width = Math.max(maximum[0] - minimum[0], maximum[2] - minimum[2]);
  const cell = 10 ** Math.max(0, Math.ceil(Math.log10(width / 25)));
  const count = Math.ceil((width * 0.8) / cell) + 1;
  const [cx, cz] = [0, 2].map((axis) => cell * Math.round((minimum[axis] + maximum[axis]) / 2 / cell));
  const floats = [];
  const vertex = (x, z) => {
    const fade = 1 - Math.min(1, Math.hypot(x, z) / count);
    floats.push(cx + x * cell, floor, cz + z * cell, 0.35, 0.47, 0.66, 0.5 * fade);
  };
  for (let line = -count; line <= count; line++) {
    for (let step = -count; step < count; step++) {
      vertex(line, step), vertex(line, step + 1);
      vertex(step, line), vertex(step + 1, line);
    }
  }
  return new Float32Array(floats);
}
