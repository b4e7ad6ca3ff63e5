// Draws the map with WebGL 2: points in their own colours, by height or grey, a grid on the floor, the axes of anchors, the
// devices of other peers. Without WebGL 2 it keeps the camera, so that labels have their places.
//
// Any beginning of the points shows the whole place (PointOrder.swift). A picture that moves has as many of them as leave
// FRAME for a frame; a picture that stays gets the others in the frames that follow, without being cleared.
import { Camera } from "/camera.js";
import { hue } from "/dom.js";

const FRAME = 30; // milliseconds of a frame, the browser's own work included: 30 frames a second and a little more
const LEAST = 5; // milliseconds of a frame for points, however much time the browser takes
const FEWEST = 10000; // points that any frame draws
const FLIGHT = 450; // milliseconds of a flight to an anchor

const POINTS = `#version 300 es
uniform mat4 matrix;
uniform vec3 low, high, clipLow, clipHigh;
uniform vec3 ground;
uniform float size, fogNear, fogFar, ownShare, grayShare;
in vec3 position, own;
out vec4 tint;

// The Turbo color map (A. Mikhailov, 2019) as a polynomial, darkened at its ends.
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
  vec3 mine = mix(turbo(0.1 + 0.78 * height), own, ownShare);
  tint = vec4(mix(mix(mine, vec3(0.35 + 0.3 * height), grayShare), ground, 0.45 * fog), 1.0);
}`;

const DISC = `#version 300 es
precision mediump float;
in vec4 tint;
out vec4 color;
void main() {
  float radius = length(gl_PointCoord - 0.5);
  if (radius > 0.5) discard;
  color = vec4(tint.rgb * (1.1 - 0.9 * radius * radius), tint.a);
}`;

const LINES = `#version 300 es
uniform mat4 matrix;
in vec3 position;
in vec4 color;
out vec4 tint;
void main() { gl_Position = matrix * vec4(position, 1.0); tint = color; }`;

const FLAT = `#version 300 es
precision mediump float;
in vec4 tint;
out vec4 color;
void main() { color = tint; }`;

export class View {
  camera = new Camera();
  low = [-2, -2, -2];
  high = [2, 2, 2];
  isOpen = true;
  ceiling = 1; // the share of the height that is shown
  pointSize = 2;
  tints = "own"; // "own", "height" or "author"
  budget = 100000; // points of one frame
  overhead = 0; // milliseconds of a frame that are not spent on points
  drawn = 0; // points in the picture
  isStale = false; // the picture begins again with the next frame
  onframe = () => {};
  onlost = () => {}; // the picture is lost, or can be drawn anew

  constructor(canvas) {
    this.canvas = canvas;
    // A processor that draws alone takes twice the time for smooth edges, which points do not need.
    const antialias = !/swiftshader|llvmpipe|software/i.test(renderer());
    this.gl = canvas.getContext("webgl2", { antialias, alpha: false, preserveDrawingBuffer: true });
    new ResizeObserver(() => this.redraw()).observe(canvas);
    matchMedia("(prefers-color-scheme: light)").onchange = () => this.redraw();
    if (!this.gl) return;
    this.make();
    // The default would keep it from coming back.
    canvas.addEventListener("webglcontextlost", (event) => { event.preventDefault(); this.onlost(true); });
    canvas.addEventListener("webglcontextrestored", () => { this.make(); this.onlost(false); });
  }

  // What is drawn with; it goes with the context.
  make() {
    this.received = null;
    this.points = this.program(POINTS, DISC);
    this.lines = this.program(LINES, FLAT);
    this.cloud = { array: this.gl.createVertexArray(), buffer: this.gl.createBuffer() };
    this.grid = this.buffers(this.lines, [["position", 3], ["color", 4]]);
    this.marks = this.buffers(this.lines, [["position", 3], ["color", 4]]);
  }

  // Whether there is a picture.
  get isAvailable() { return this.gl !== null && !this.gl.isContextLost(); }

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

  // Makes room for another map, whose points come with `add`.
  clear(minimum, maximum) {
    this.received = { head: new Uint8Array(8), bytes: 0, stride: 0, count: 0 };
    const isElsewhere = `${[minimum, maximum]}` !== `${[this.low, this.high]}`;
    this.low = minimum;
    this.high = maximum;
    if (isElsewhere) this.fit();
    this.fill(this.grid, gridLines(minimum, maximum));
  }

  // Takes a part of the server's buffer (PointBuffer.swift has its layout), which begins at a byte of so many in all.
  add(part, at, total) {
    const { gl, received } = this;
    if (at < 8) received.head.set(part.subarray(0, 8 - at), at);
    if (at === 0 && gl) {
      gl.bindBuffer(gl.ARRAY_BUFFER, this.cloud.buffer);
      gl.bufferData(gl.ARRAY_BUFFER, total, gl.STATIC_DRAW);
    }
    received.bytes = at + part.length;
    if (!received.stride && received.bytes >= 8) this.lay();
    received.count = Math.max(0, Math.floor((received.bytes - 8) / received.stride));
    if (!gl) return;
    gl.bindBuffer(gl.ARRAY_BUFFER, this.cloud.buffer);
    gl.bufferSubData(gl.ARRAY_BUFFER, at, part);
    this.wake();
  }

  // Reads the head of the buffer: the points, and whether each has a color.
  lay() {
    const { gl, received } = this;
    const [, hasColors] = new Uint32Array(received.head.buffer);
    this.hasColors = hasColors === 1;
    received.stride = this.hasColors ? 16 : 12;
    if (!gl) return;
    gl.bindVertexArray(this.cloud.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.cloud.buffer);
    const at = (name) => gl.getAttribLocation(this.points.program, name);
    gl.enableVertexAttribArray(at("position"));
    gl.vertexAttribPointer(at("position"), 3, gl.FLOAT, false, received.stride, 8);
    if (!this.hasColors) return gl.disableVertexAttribArray(at("own"));
    gl.enableVertexAttribArray(at("own"));
    gl.vertexAttribPointer(at("own"), 3, gl.UNSIGNED_BYTE, true, received.stride, 20);
  }

  // The points that are here.
  get count() { return this.received?.count ?? 0; }

  // Whether the picture shows all points that are here, as they are now.
  get isComplete() { return !this.isStale && this.drawn >= this.count; }

  // Shows the whole map from a direction.
  fit(yaw, pitch) {
    this.camera.aspectRatio = this.canvas.clientWidth / this.canvas.clientHeight || 1;
    this.camera.frame(this.low, this.high, yaw, pitch);
    this.redraw();
  }

  // Flies to a place, as near as shows half a metre or a tenth of the map about it.
  fly(place) {
    const from = { target: this.camera.target, distance: this.camera.distance };
    const to = { target: place, distance: Math.min(from.distance, Math.max(1, 0.2 * this.radius)) };
    const start = performance.now();
    this.flight = (now) => {
      const time = matchMedia("(prefers-reduced-motion: reduce)").matches ? 1 : Math.min(1, (now - start) / FLIGHT);
      this.camera.between(from, to, Math.max(0, time * time * (3 - 2 * time)));
      if (time === 1) this.flight = null;
    };
    this.redraw();
  }

  // The axes of anchors: x red, y green, z blue or all in the color of their author, 20 cm long or more in a large map,
  // a line down to the floor, and the rim of a plane; the devices of peers as what a camera there sees; and a line between two places.
  mark(anchors, devices = [], line = []) {
    const floats = [];
    const length = Math.max(0.2, 0.03 * this.radius);
    const colors = [[1, 0.35, 0.35, 1], [0.3, 0.85, 0.3, 1], [0.45, 0.6, 1, 1]];
    for (const { transform: matrix, creator, rim } of anchors) {
      const origin = matrix.slice(12, 15);
      const author = this.tints === "author" && creator ? [...rgb(hue(creator.id)), 1] : null;
      colors.forEach((own, axis) => {
        const color = author ?? own;
        floats.push(...origin, ...color, ...locate(matrix, [0, 1, 2].map((other) => (other === axis ? length : 0))), ...color);
      });
      const drop = author ?? [0.62, 0.52, 0.28, 1];
      floats.push(...origin, ...drop, origin[0], this.low[1], origin[2], ...drop);
      const corners = [];
      for (let i = 0; rim && i < rim.length; i += 2) corners.push(locate(matrix, [rim[i], 0, rim[i + 1]]));
      corners.forEach((corner, i) => floats.push(...corner, ...drop, ...corners[(i + 1) % corners.length], ...drop));
    }
    for (const { peer, transform } of devices) {
      const color = [...rgb(hue(peer)), 1];
      const corners = [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([x, y]) => locate(transform, [x * 0.6 * length, y * 0.45 * length, -length]));
      corners.forEach((corner, index) => {
        floats.push(...transform.slice(12, 15), ...color, ...corner, ...color);
        floats.push(...corner, ...color, ...corners[(index + 1) % 4], ...color);
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

  // Begins the picture again.
  redraw() {
    this.isStale = true;
    this.wake();
  }

  // Goes on with the picture in the next frame.
  wake() {
    if (this.isWaiting) return;
    this.isWaiting = true;
    requestAnimationFrame((time) => {
      this.isWaiting = false;
      this.flight?.(time);
      this.pace(time);
      this.draw();
      if (this.flight) this.redraw();
      else if (this.isAvailable && !this.isComplete) this.wake();
    });
  }

  draw() {
    const { gl, canvas, camera } = this;
    const scale = window.devicePixelRatio || 1;
    const [width, height] = [canvas.clientWidth * scale, canvas.clientHeight * scale].map(Math.round);
    if (canvas.width !== width || canvas.height !== height) {
      [canvas.width, canvas.height] = [width, height];
      this.isStale = true;
    }
    if (!width || !height) { this.isStale = false; return; }
    camera.aspectRatio = width / height;
    if (!this.isAvailable) { this.isStale = false; return this.onframe(); }
    const matrix = camera.matrix();
    const isNew = this.isStale;
    if (isNew) this.begin(matrix, width, height);
    gl.enable(gl.DEPTH_TEST);
    this.drawPoints(matrix, height);
    gl.disable(gl.DEPTH_TEST);
    this.drawLines(this.marks, matrix);
    if (isNew) this.onframe();
  }

  // An empty picture with the grid.
  begin(matrix, width, height) {
    const { gl, canvas } = this;
    this.isStale = false;
    this.drawn = 0;
    this.ground = getComputedStyle(canvas).backgroundColor.match(/\d+/g).slice(0, 3).map((v) => v / 255);
    gl.viewport(0, 0, width, height);
    gl.clearColor(...this.ground, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.enable(gl.DEPTH_TEST);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    this.drawLines(this.grid, matrix);
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
    gl.uniform1f(points.at("ownShare"), this.hasColors && this.tints === "own" ? 1 : 0);
    gl.uniform1f(points.at("grayShare"), this.tints === "author" ? 1 : 0);
    // A point is a disc of some millimetres, so that near ones are larger.
    gl.uniform1f(points.at("size"), 0.008 * this.pointSize * radius * camera.focalLength * height * 0.25);
    gl.uniform1f(points.at("fogNear"), camera.distance - radius * 0.6);
    gl.uniform1f(points.at("fogFar"), camera.distance + radius * 1.4);
    const count = Math.min(this.count - this.drawn, this.budget);
    this.spent = 0;
    if (count <= 0) return;
    const start = performance.now();
    gl.bindVertexArray(this.cloud.array);
    gl.drawArrays(gl.POINTS, this.drawn, count);
    this.drawn += count;
    if (count < FEWEST) return;
    // Drawing goes on behind the page's back until somebody looks at a pixel.
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
    this.spent = performance.now() - start;
    const wanted = (count * Math.max(LEAST, FRAME - this.overhead)) / Math.max(0.1, this.spent);
    this.budget = Math.round(Math.max(FEWEST, Math.min(wanted, 2 * this.budget)));
  }

  // Learns from the time between two frames in a row what the browser needs besides the points.
  pace(time) {
    const between = time - this.latest;
    if (between < 250) this.overhead += 0.2 * (Math.max(0, between - this.spent) - this.overhead);
    this.latest = time;
  }

  drawLines(target, matrix) {
    const { gl, lines } = this;
    gl.useProgram(lines.program);
    gl.uniformMatrix4fv(lines.at("matrix"), false, matrix);
    gl.bindVertexArray(target.array);
    gl.drawArrays(gl.LINES, 0, target.count);
  }
}

// What draws, as far as the browser tells.
function renderer() {
  const gl = document.createElement("canvas").getContext("webgl2");
  const name = gl ? `${gl.getParameter(gl.RENDERER)}` : "";
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return name;
}

// A place of a column-major transform's own frame, in that of the map.
function locate(matrix, [x, y, z]) {
  return [0, 1, 2].map((row) => matrix[12 + row] + x * matrix[row] + y * matrix[4 + row] + z * matrix[8 + row]);
}

// The color of hsl(hue 75% 55%).
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
