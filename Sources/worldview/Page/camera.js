// An orbit camera with the conventions of SharedWorld: right-handed, y up, metres, looking along its own -z.
// The focal length counts picture heights, as in PinholeCamera, so that the page and the hit-test see the same.

const sub = (a, b) => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const add = (a, b, s = 1) => [a[0] + s * b[0], a[1] + s * b[1], a[2] + s * b[2]];
const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
const unit = (a) => { const l = Math.hypot(...a) || 1; return a.map((v) => v / l); };

export class Camera {
  focalLength = 1;
  aspectRatio = 4 / 3;
  target = [0, 0, 0];
  distance = 5;
  yaw = 0.55; // about y, 0 looks along -z
  pitch = 0.6; // above the horizon

  // Looks at a whole box from a direction (yaw and pitch, radians), as near as fits with a margin of 5 % on each side, as
  // PinholeCamera.framing does.
  frame(minimum, maximum, yaw = 0.55, pitch = 0.6) {
    Object.assign(this, { yaw, pitch, target: minimum.map((low, axis) => (low + maximum[axis]) / 2), distance: 1 });
    const { right, up, ahead } = this.axes;
    let distance = 0.5;
    for (let corner = 0; corner < 8; corner++) {
      const from = sub(minimum.map((low, axis) => ((corner >> axis) & 1 ? maximum[axis] : low)), this.target);
      const size = Math.max(Math.abs(dot(from, up)), Math.abs(dot(from, right)) / this.aspectRatio);
      distance = Math.max(distance, (size * this.focalLength) / 0.45 - dot(from, ahead));
    }
    this.distance = distance;
  }

  get eye() {
    const flat = Math.cos(this.pitch);
    return add(this.target, [flat * Math.sin(this.yaw), Math.sin(this.pitch), flat * Math.cos(this.yaw)], this.distance);
  }

  // The axes of the picture: right, up and ahead.
  get axes() {
    const ahead = unit(sub(this.target, this.eye));
    const right = unit(cross(ahead, [0, 1, 0]));
    return { right, up: cross(right, ahead), ahead };
  }

  turn(dx, dy) {
    this.yaw -= dx * 0.006;
    this.pitch = Math.min(1.55, Math.max(-1.55, this.pitch + dy * 0.006));
  }

  // Moves so that what is under the pointer stays there; dx and dy count picture heights.
  pan(dx, dy) {
    const { right, up } = this.axes;
    const meters = this.distance / this.focalLength;
    this.target = add(add(this.target, right, -dx * meters), up, dy * meters);
  }

  // Comes nearer or goes away; what is at a point of the picture, as far as the target, stays there.
  zoom(factor, x = 0.5, y = 0.5) {
    const place = this.unproject(x, y, this.distance);
    const before = this.distance;
    this.distance = Math.min(1000, Math.max(0.1, this.distance * factor));
    this.target = add(place, sub(this.target, place), this.distance / before);
  }

  // Looks from a place at another one; it does not tilt.
  look(eye, target) {
    const back = sub(eye, target);
    this.distance = Math.min(1000, Math.max(0.1, Math.hypot(...back)));
    this.yaw = Math.atan2(back[0], back[2]);
    this.pitch = Math.min(1.55, Math.max(-1.55, Math.asin(back[1] / (Math.hypot(...back) || 1))));
    this.target = target;
  }

  // Goes along the floor to the right and ahead, and up; metres.
  walk(rightwards, onwards, upwards) {
    const { right } = this.axes;
    const ahead = [-Math.sin(this.yaw), 0, -Math.cos(this.yaw)];
    this.target = add(add(add(this.target, right, rightwards), ahead, onwards), [0, 1, 0], upwards);
  }

  // From where to where the picture reaches (metres ahead).
  get range() { return [Math.max(0.02, this.distance * 0.01), this.distance * 20 + 100]; }

  // Column-major view-projection matrix for WebGL.
  matrix() {
    const { right, up, ahead } = this.axes;
    const eye = this.eye;
    const [near, far] = this.range;
    const fy = 2 * this.focalLength;
    const fx = fy / this.aspectRatio;
    const a = (far + near) / (far - near);
    const b = (-2 * far * near) / (far - near);
    const row = (axis, scale) => [...axis.map((v) => v * scale), -dot(axis, eye) * scale];
    const rows = [row(right, fx), row(up, fy), row(ahead, a), row(ahead, 1)];
    rows[2][3] += b;
    return Array.from({ length: 16 }, (_, index) => rows[index % 4][index >> 2]);
  }

  // The normalised screen point of a place, (0, 0) top left, and its depth; null behind the camera.
  project(point) {
    const { right, up, ahead } = this.axes;
    const offset = sub(point, this.eye);
    const depth = dot(offset, ahead);
    if (depth <= 0) return null;
    const x = 0.5 + ((this.focalLength / this.aspectRatio) * dot(offset, right)) / depth;
    return { x, y: 0.5 - (this.focalLength * dot(offset, up)) / depth, depth };
  }

  // The place at a normalised screen point and a depth.
  unproject(x, y, depth) {
    const { right, up, ahead } = this.axes;
    const across = ((x - 0.5) * this.aspectRatio * depth) / this.focalLength;
    return add(add(add(this.eye, ahead, depth), right, across), up, ((0.5 - y) * depth) / this.focalLength);
  }

  // Where it looks and from how far, a share of the way to another place; the direction stays.
  between(from, to, share) {
    this.target = from.target.map((v, axis) => v + share * (to.target[axis] - v));
    this.distance = from.distance * (to.distance / from.distance) ** share;
  }
}
