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
  const [origin, step] = [[-2, 0, -1.5], 0.001];
  const places = new Uint16Array(4 * POINTS);
  for (let index = 0; index < POINTS; index++) {
    // Neighbours in the sequence of Weyl lie far apart, so that any beginning of it shows the room.
    const [s, u, v] = [0.8191725134, 0.6710436067, 0.5497004779].map((step) => (index * step) % 1);
    let rest = s;
    const surface = SURFACES.find(({ share }) => (rest -= share) < 0) ?? SURFACES[0];
    const [a, b] = surface.edges;
    places.set(surface.corner.map((at, axis) => (at + u * a[axis] + v * b[axis] - origin[axis]) / step), 4 * index);
  }
  view.tints = "author"; // grey
  view.clear([-2, 0, -1.5], [2, 2.4, 1.5], "y", 0.045);
  view.fit();
  view.begin({ origin, step, count: POINTS, hasColors: false });
  view.add(places, null);
}
