// Draws the map with WebGL 2: points in their own colours, by height, by a number or grey, a grid on the floor, the axes of
// anchors, the devices of other peers. Without WebGL 2 it keeps the camera, so that labels have their places.
//
// Any beginning of the points shows the whole place (points.js). A picture that moves has as many of them as leave FRAME for
// a frame; a picture that stays gets the others in the frames that follow, without being cleared.
import { Camera } from "/camera.js";
import { anchorLines, deviceLines, gridLines, pointerLines } from "/lines.js";
import { COVER, DISC, FLAT, LINES, POINTS, SHADE } from "/shaders.js";
import { Upright } from "/upright.js";

const FRAME = 30; // milliseconds of a frame, the browser's own work included: 30 frames a second and a little more
const LEAST = 5; // milliseconds of a frame for points, however much time the browser takes
const FEWEST = 10000; // points that any frame draws
const FLIGHT = 450; // milliseconds of a flight to an anchor
const PATIENCE = 2000; // milliseconds for which a processor that draws alone goes on with a picture
const CELLS = 8; // bytes of a place
const RELIEF = 9; // how dark edges are

export class View {
  camera = new Camera();
  upright = new Upright();
  // The box of the map as it stands in the picture.
  low = [-2, -2, -2];
  high = [2, 2, 2];
  isOpen = true;
  ceiling = 1; // the share of the height that is shown
  pointSize = 1; // of the distance between neighbours
  spacing = 0.1; // metres between neighbours
  tints = "own"; // "own", "height", "author" or "number"
  hasRelief = true;
  budget = 100000; // points of one frame
  overhead = 0; // milliseconds of a frame that are not spent on points
  drawn = 0; // points in the picture
  isStale = false; // the picture begins again with the next frame
  followers = []; // called after each picture that began anew
  onlost = () => {}; // the picture is lost, or can be drawn anew

  constructor(canvas) {
    this.canvas = canvas;
    // A processor that draws alone takes twice the time for smooth edges, which points do not need.
    this.isSlow = /swiftshader|llvmpipe|software/i.test(renderer());
    this.gl = canvas.getContext("webgl2", { antialias: !this.isSlow, alpha: false, preserveDrawingBuffer: true });
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
    const { gl } = this;
    this.received = null;
    this.layer = null;
    this.points = this.program(POINTS, DISC);
    this.lines = this.program(LINES, FLAT);
    this.shade = this.program(COVER, SHADE);
    this.cloud = { array: gl.createVertexArray(), places: gl.createBuffer(), colors: gl.createBuffer(), numbers: gl.createBuffer() };
    this.nothing = gl.createVertexArray();
    this.grid = this.buffers(this.lines, [["position", 3], ["color", 4]]);
    this.marks = this.buffers(this.lines, [["position", 3], ["color", 4]]);
    this.moving = this.buffers(this.lines, [["position", 3], ["color", 4]]);
  }

  // Whether there is a picture.
  get isAvailable() { return this.gl !== null && !this.gl.isContextLost(); }

  // `bound` are attributes, by name, that have the places of another program's, so that its arrays serve.
  program(vertex, fragment, bound = {}) {
    const gl = this.gl;
    const program = gl.createProgram();
    for (const [kind, source] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      if (!gl.getShaderParameter(shader, gl.COMPILE_STATUS)) throw new Error(gl.getShaderInfoLog(shader));
      gl.attachShader(program, shader);
    }
    for (const [name, place] of Object.entries(bound)) gl.bindAttribLocation(program, place, name);
    gl.linkProgram(program);
    const places = {};
    const at = (name, isAttribute = false) => places[name] ??= isAttribute ? gl.getAttribLocation(program, name) : gl.getUniformLocation(program, name);
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

  // Makes room for another map (its box, in its own axes), whose points come with `begin` and `add`.
  clear(minimum, maximum, axis = "y", spacing = 0.1) {
    this.received = null;
    this.upright = new Upright(axis);
    this.spacing = spacing;
    this.tints = this.tints === "number" ? "height" : this.tints;
    const [low, high] = this.upright.box(minimum, maximum);
    const isElsewhere = `${[low, high]}` !== `${[this.low, this.high]}`;
    Object.assign(this, { low, high });
    if (isElsewhere) this.fit();
    this.fill(this.grid, gridLines(low, high));
  }

  // Turns the map so that another axis is up.
  turn(axis) {
    if (axis === this.upright.axis) return;
    const [low, high] = this.upright.box(this.low, this.high, (place) => this.upright.world(place));
    this.upright = new Upright(axis);
    [this.low, this.high] = this.upright.box(low, high);
    this.fill(this.grid, gridLines(this.low, this.high));
    this.fit();
  }

  // The points will be so many, on a grid of cells.
  begin({ origin, step, count, hasColors }) {
    const { gl, cloud } = this;
    this.received = { origin, step, count: 0, numbers: 0 };
    this.hasColors = hasColors;
    if (!gl) return;
    for (const [buffer, isThere] of [[cloud.places, true], [cloud.colors, hasColors], [cloud.numbers, false]]) {
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.bufferData(gl.ARRAY_BUFFER, isThere ? count * (buffer === cloud.places ? CELLS : 4) : 4, gl.STATIC_DRAW);
    }
  }

  // Takes the next points: the cells, four numbers each, and the colours, four bytes each, if there are some.
  add(places, colors) {
    const { received, cloud } = this;
    // Without a picture there is no cloud to put them into, and they are counted alone.
    this.put(cloud?.places, received.count * CELLS, places);
    if (colors) this.put(cloud?.colors, received.count * 4, colors);
    received.count += places.length / 4;
    this.wake();
  }

  put(buffer, at, bytes) {
    const { gl } = this;
    if (!gl) return;
    gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
    gl.bufferSubData(gl.ARRAY_BUFFER, at, bytes);
  }

  // The numbers by which points are coloured come anew, and then in the order of the points.
  beginNumbers() {
    this.received.numbers = 0;
    this.gl?.bindBuffer(this.gl.ARRAY_BUFFER, this.cloud.numbers);
    this.gl?.bufferData(this.gl.ARRAY_BUFFER, this.count * 4, this.gl.STATIC_DRAW);
  }

  addNumbers(bytes) {
    this.put(this.cloud?.numbers, this.received.numbers * 4, bytes);
    this.received.numbers += bytes.length / 4;
    this.redraw();
  }

  // The points that are here.
  get count() { return this.received?.count ?? 0; }

  // Whether the picture shows all points that are here, as they are now.
  get isComplete() { return !this.isStale && (this.drawn >= this.count || this.isTired); }

  // Whether a processor that draws alone has worked for long enough on one picture.
  get isTired() { return this.isSlow && performance.now() - this.begun > PATIENCE; }

  // Shows the whole map from a direction.
  fit(yaw, pitch) {
    this.camera.aspectRatio = this.canvas.clientWidth / this.canvas.clientHeight || 1;
    this.camera.frame(this.low, this.high, yaw, pitch);
    this.redraw();
  }

  // Flies to a place of the map; as near as shows half a metre or a tenth of the map about it, unless a distance is given.
  fly(place, distance = Math.min(this.camera.distance, Math.max(1, 0.2 * this.radius))) {
    const from = { target: this.camera.target, distance: this.camera.distance };
    const to = { target: this.upright.shown(place), distance };
    const start = performance.now();
    this.flight = (now) => {
      const time = matchMedia("(prefers-reduced-motion: reduce)").matches ? 1 : Math.min(1, (now - start) / FLIGHT);
      this.camera.between(from, to, Math.max(0, time * time * (3 - 2 * time)));
      if (time === 1) this.flight = null;
    };
    this.redraw();
  }

  // The anchors that stand still.
  mark(anchors) { this.fill(this.marks, new Float32Array(anchorLines(this, anchors))); }

  // What may be elsewhere sixty times a second: anchors in somebody's hand, devices, pointers, and a line between two places.
  markMoving(anchors, devices, pointers, line) {
    const floats = [...anchorLines(this, anchors), ...deviceLines(this, devices), ...pointerLines(this, pointers)];
    for (const end of line) floats.push(...this.upright.shown(end), 0.95, 0.4, 0.7, 1);
    if (floats.length || this.moving?.count) this.fill(this.moving, new Float32Array(floats));
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
    if (!this.isAvailable) { this.isStale = false; return this.tell(); }
    const matrix = camera.matrix();
    const isNew = this.isStale;
    this.aim(width, height);
    if (isNew) this.start(matrix, width, height);
    gl.enable(gl.DEPTH_TEST);
    this.drawPoints(matrix, height);
    gl.disable(gl.DEPTH_TEST);
    this.show(width, height);
    this.drawLines(this.marks, matrix);
    this.drawLines(this.moving, matrix);
    if (isNew) this.tell();
  }

  tell() { for (const follow of this.followers) follow(); }

  // Draws beside the canvas, where the depths can be read afterwards.
  aim(width, height) {
    const { gl } = this;
    if (this.layer?.width !== width || this.layer?.height !== height) {
      for (const one of ["picture", "depths"]) gl.deleteTexture(this.layer?.[one] ?? null);
      const texture = (format) => {
        const made = gl.createTexture();
        gl.bindTexture(gl.TEXTURE_2D, made);
        gl.texStorage2D(gl.TEXTURE_2D, 1, format, width, height);
        for (const name of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, name, gl.NEAREST);
        return made;
      };
      const frame = this.layer?.frame ?? gl.createFramebuffer();
      this.layer = { frame, width, height, picture: texture(gl.RGBA8), depths: texture(gl.DEPTH_COMPONENT24) };
      gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
      gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, this.layer.picture, 0);
      gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.DEPTH_ATTACHMENT, gl.TEXTURE_2D, this.layer.depths, 0);
      this.isStale = true;
    }
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.layer.frame);
    gl.viewport(0, 0, width, height);
  }

  // An empty picture with the grid, behind which nothing is hidden.
  start(matrix) {
    const { gl, canvas } = this;
    this.isStale = false;
    this.drawn = 0;
    this.begun = performance.now();
    this.ground = getComputedStyle(canvas).backgroundColor.match(/\d+/g).slice(0, 3).map((v) => v / 255);
    gl.clearColor(...this.ground, 1);
    gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT);
    gl.disable(gl.DEPTH_TEST);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    this.drawLines(this.grid, matrix);
  }

  // Brings the picture to the canvas; shapes stand out where there is time for it.
  show(width, height) {
    const { gl, camera, layer, shade } = this;
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, width, height);
    gl.useProgram(shade.program);
    gl.bindVertexArray(this.nothing);
    ["picture", "depths"].forEach((name, unit) => {
      gl.activeTexture(gl.TEXTURE0 + unit);
      gl.bindTexture(gl.TEXTURE_2D, layer[name]);
      gl.uniform1i(shade.at(name), unit);
    });
    const [near, far] = camera.range;
    gl.uniform1f(shade.at("near"), near);
    gl.uniform1f(shade.at("far"), far);
    const isResting = this.drawn >= this.count || this.isTired;
    gl.uniform1f(shade.at("strength"), this.hasRelief && (isResting || !this.isSlow) ? RELIEF : 0);
    gl.disable(gl.BLEND);
    gl.drawArrays(gl.TRIANGLES, 0, 3);
    gl.enable(gl.BLEND);
    gl.activeTexture(gl.TEXTURE0);
    gl.bindTexture(gl.TEXTURE_2D, null);
  }

  // The matrix that brings a cell to its place in the map.
  get cells() {
    const { origin, step } = this.received;
    return [step, 0, 0, 0, 0, step, 0, 0, 0, 0, step, 0, ...origin, 1];
  }

  drawPoints(matrix, height) {
    const { gl, camera, points, radius } = this;
    const count = Math.min(this.count - this.drawn, this.budget);
    this.spent = 0;
    if (count <= 0) return;
    const below = (place) => place.map((v, axis) => v - this.low[axis]);
    const [clipLow, clipHigh] = this.clip.map(below);
    const tints = { own: this.hasColors ? 1 : 0, author: 2, number: this.isDirection ? 1 : 3 }[this.tints] ?? 0;
    const shown = this.upright.pose(this.cells);
    gl.useProgram(points.program);
    gl.uniformMatrix4fv(points.at("place"), false, product(moved(this.low.map((v) => -v)), shown));
    gl.uniformMatrix4fv(points.at("matrix"), false, product(matrix, shown));
    gl.uniform3fv(points.at("extent"), below(this.high));
    gl.uniform3fv(points.at("clipLow"), clipLow);
    gl.uniform3fv(points.at("clipHigh"), clipHigh);
    gl.uniform3fv(points.at("ground"), this.ground);
    gl.uniform1i(points.at("tints"), tints);
    // A point is a disc that reaches its neighbours, so that near ones are larger.
    gl.uniform1f(points.at("size"), 1.6 * this.spacing * this.pointSize * camera.focalLength * height);
    gl.uniform1f(points.at("fogNear"), camera.distance - radius * 0.6);
    gl.uniform1f(points.at("fogFar"), camera.distance + radius * 1.4);
    const start = performance.now();
    this.bindPoints(tints === 0 || tints === 2 ? null : this.tints === "number" ? this.cloud.numbers : this.cloud.colors);
    gl.drawArrays(gl.POINTS, this.drawn, count);
    this.drawn += count;
    if (count < FEWEST) return;
    // Drawing goes on behind the page's back until somebody looks at a pixel.
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, new Uint8Array(4));
    this.spent = performance.now() - start;
    const wanted = (count * Math.max(LEAST, FRAME - this.overhead)) / Math.max(0.1, this.spent);
    this.budget = Math.round(Math.max(FEWEST, Math.min(wanted, 2 * this.budget)));
  }

  bindPoints(tints) {
    const { gl, points, cloud } = this;
    gl.bindVertexArray(cloud.array);
    const [position, own] = [points.at("position", true), points.at("own", true)];
    gl.bindBuffer(gl.ARRAY_BUFFER, cloud.places);
    gl.enableVertexAttribArray(position);
    gl.vertexAttribPointer(position, 3, gl.UNSIGNED_SHORT, false, CELLS, 0);
    if (!tints) return gl.disableVertexAttribArray(own);
    gl.bindBuffer(gl.ARRAY_BUFFER, tints);
    gl.enableVertexAttribArray(own);
    gl.vertexAttribPointer(own, 3, gl.UNSIGNED_BYTE, true, 4, 0);
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

// The product of two matrices, column by column; in doubles, so that places far from the origin stay sharp.
export function product(a, b) {
  return Array.from({ length: 16 }, (_, index) => {
    const [row, column] = [index % 4, index - (index % 4)];
    return a[row] * b[column] + a[4 + row] * b[column + 1] + a[8 + row] * b[column + 2] + a[12 + row] * b[column + 3];
  });
}

const moved = (by) => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, ...by, 1];

// What draws, as far as the browser tells.
function renderer() {
  const gl = document.createElement("canvas").getContext("webgl2");
  const names = gl?.getExtension("WEBGL_debug_renderer_info");
  // Chromium says "WebKit WebGL" unless it is asked for the name behind.
  const name = gl ? `${gl.getParameter(names?.UNMASKED_RENDERER_WEBGL ?? gl.RENDERER)}` : "";
  gl?.getExtension("WEBGL_lose_context")?.loseContext();
  return name;
}
