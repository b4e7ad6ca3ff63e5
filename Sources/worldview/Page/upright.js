// Which axis of a map is up in the picture. The camera, the floor and all that is drawn have y up; here a place or a pose of
// the map becomes one of the picture and back, by a turn of whole quarters.

// By the axis that is up: the directions of the map that are right, up and back in the picture.
const BASES = {
  y: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  "-y": [[1, 0, 0], [0, -1, 0], [0, 0, -1]],
  z: [[1, 0, 0], [0, 0, 1], [0, -1, 0]],
  "-z": [[1, 0, 0], [0, 0, -1], [0, 1, 0]],
  x: [[0, -1, 0], [1, 0, 0], [0, 0, 1]],
  "-x": [[0, 1, 0], [-1, 0, 0], [0, 0, 1]],
};

export class Upright {
  constructor(axis = "y") { this.axis = axis in BASES ? axis : "y"; }

  get basis() { return BASES[this.axis]; }

  // A place of the map in the picture.
  shown(place) { return this.basis.map((axis) => axis[0] * place[0] + axis[1] * place[1] + axis[2] * place[2]); }

  // A place of the picture in the map.
  world(place) { return [0, 1, 2].map((row) => this.basis.reduce((sum, axis, index) => sum + axis[row] * place[index], 0)); }

  // A pose of the map (16 numbers, column by column) in the picture.
  pose(matrix) {
    return [0, 4, 8, 12].flatMap((column) => [...this.shown(matrix.slice(column, column + 3)), column === 12 ? 1 : 0]);
  }

  // A box of the map in the picture, and of the picture in the map, as its lowest and its highest corner.
  box(low, high, turn = (place) => this.shown(place)) {
    const [a, b] = [turn(low), turn(high)];
    return [a.map((v, axis) => Math.min(v, b[axis])), a.map((v, axis) => Math.max(v, b[axis]))];
  }

  // The axis that is up after a quarter turn towards the viewer, or to the right.
  tipped(isForward) {
    const direction = this.basis[isForward ? 2 : 0];
    const axis = direction.findIndex((v) => v !== 0);
    return (direction[axis] < 0 ? "-" : "") + "xyz"[axis];
  }
}
