// The lines of the picture: the grid, the axes of anchors, devices. Each vertex is a place in the picture's axes and a colour.
import { hue } from "/dom.js";

// The colours of the axes: x, y and z.
export const AXES = [[1, 0.35, 0.35, 1], [0.3, 0.85, 0.3, 1], [0.45, 0.6, 1, 1]];
const DROP = [0.62, 0.52, 0.28, 1];

// The length of an axis: 20 cm, or more in a large map.
const length = (view) => Math.max(0.2, 0.03 * view.radius);

// The axes of anchors: x red, y green, z blue or all in the colour of their author, a line down to the floor, and the rim of a
// plane.
export function anchorLines(view, anchors) {
  const floats = [];
  const long = length(view);
  for (const { transform, creator, rim } of anchors) {
    const matrix = view.upright.pose(transform);
    const origin = matrix.slice(12, 15);
    const author = view.tints === "author" && creator ? [...rgb(hue(creator.id)), 1] : null;
    AXES.forEach((own, axis) => {
      const color = author ?? own;
      floats.push(...origin, ...color, ...locate(matrix, [0, 1, 2].map((other) => (other === axis ? long : 0))), ...color);
    });
    const drop = author ?? DROP;
    floats.push(...origin, ...drop, origin[0], view.low[1], origin[2], ...drop);
    const corners = [];
    for (let i = 0; rim && i < rim.length; i += 2) corners.push(locate(matrix, [rim[i], 0, rim[i + 1]]));
    corners.forEach((corner, i) => floats.push(...corner, ...drop, ...corners[(i + 1) % corners.length], ...drop));
  }
  return floats;
}

// The devices of peers as what a camera there sees.
export function deviceLines(view, devices) {
  const floats = [];
  const long = length(view);
  for (const { peer, transform } of devices) {
    const matrix = view.upright.pose(transform);
    const color = [...rgb(hue(peer)), 1];
    const corners = [[-1, -1], [1, -1], [1, 1], [-1, 1]].map(([x, y]) => locate(matrix, [x * 0.6 * long, y * 0.45 * long, -long]));
    corners.forEach((corner, index) => {
      floats.push(...matrix.slice(12, 15), ...color, ...corner, ...color);
      floats.push(...corner, ...color, ...corners[(index + 1) % 4], ...color);
    });
  }
  return floats;
}

// The places at which users point: a small cross in the colour of each.
export function pointerLines(view, pointers) {
  const floats = [];
  const long = length(view) / 3;
  for (const { peer, transform } of pointers) {
    const place = view.upright.pose(transform).slice(12, 15);
    const color = [...rgb(hue(peer)), 1];
    for (const axis of [0, 1, 2]) {
      for (const way of [-long, long]) floats.push(...place.map((v, i) => (i === axis ? v + way : v)), ...color);
    }
  }
  return floats;
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
export function gridLines(minimum, maximum) {
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
