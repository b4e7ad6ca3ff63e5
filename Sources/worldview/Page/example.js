// A room to look at until there is a map: the floor, two walls and a table, as the feature points of a phone would show them.

const POINTS = 12000;

// Places (metres) that lie on surfaces, each a corner and two edges; the same every time.
const SURFACES = [
  { corner: [-2, 0, -1.5], edges: [[4, 0, 0], [0, 0, 3]], share: 0.4 }, // the floor
  { corner: [-2, 0, -1.5], edges: [[4, 0, 0], [0, 2.4, 0]], share: 0.25 }, // the wall behind
  { corner: [-2, 0, -1.5], edges: [[0, 0, 3], [0, 2.4, 0]], share: 0.2 }, // the wall at the left
  { corner: [-0.5, 0.75, -0.4], edges: [[1.2, 0, 0], [0, 0, 0.8]], share: 0.15 }, // a table
];

export function showExample(view) {
  const bytes = new ArrayBuffer(8 + 12 * POINTS);
  new Uint32Array(bytes, 0, 2).set([POINTS, 0]);
  const floats = new Float32Array(bytes, 8);
  for (let index = 0; index < POINTS; index++) {
    // Neighbours in the sequence of Weyl lie far apart, so that any beginning of it shows the room.
    const [s, u, v] = [0.8191725134, 0.6710436067, 0.5497004779].map((step) => (index * step) % 1);
    let rest = s;
    const surface = SURFACES.find(({ share }) => (rest -= share) < 0) ?? SURFACES[0];
    const [a, b] = surface.edges;
    floats.set(surface.corner.map((at, axis) => at + u * a[axis] + v * b[axis]), 3 * index);
  }
  view.tints = "author"; // grey
  view.clear([-2, 0, -1.5], [2, 2.4, 1.5]);
  view.fit();
  view.add(new Uint8Array(bytes), 0, bytes.byteLength);
}
