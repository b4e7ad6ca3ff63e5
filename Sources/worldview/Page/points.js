// The points of a map: asked for once, kept in the browser by the map's id, and unpacked layer by layer as they come
// (PointLayers.swift has the form).
import * as server from "/server.js";

// Bodies that are kept in the browser: so many, the oldest go first.
const KEPT = 12;

// Gives each layer of a body to `take` with the head, as the bytes of its channels by name; `tell` hears of the progress in
// bytes. Of a map that is kept nothing is asked for.
export async function load(path, map, take, tell) {
  const key = `${map}${path}`;
  const kept = await store("readonly", (bodies) => bodies.get(key)).catch(() => null);
  if (kept) return unpack(new Body(kept.bytes, kept.bytes.length), take);
  let body = null;
  let work = Promise.resolve();
  await server.download(path, (part, at, total) => {
    body ??= new Body(new Uint8Array(total), 0);
    body.bytes.set(part, at);
    body.length = at + part.length;
    tell(body.length, total);
    work = work.then(() => unpack(body, take));
  });
  await work;
  // The server may have another map by now.
  if (body?.head?.map === map) keep(key, body.bytes);
  else throw new Error(`${path} is of another map`);
}

class Body {
  head = null;
  next = 0; // the layer that was not unpacked yet, and where it begins
  at = 0;

  constructor(bytes, length) { Object.assign(this, { bytes, length }); }

  readHead() {
    if (this.head || this.length < 4) return;
    const size = new DataView(this.bytes.buffer, this.bytes.byteOffset).getUint32(0, true);
    if (this.length < 4 + size) return;
    this.head = JSON.parse(new TextDecoder().decode(this.bytes.subarray(4, 4 + size)));
    this.at = 4 + size;
  }
}

// Unpacks the layers that are here.
async function unpack(body, take) {
  body.readHead();
  const { head } = body;
  while (head && body.next < head.layers.length) {
    const layer = head.layers[body.next];
    const end = layer.bytes.reduce((sum, size) => sum + size, body.at);
    if (end > body.length) return;
    body.next += 1;
    const channels = {};
    for (const [index, { name, components }] of head.channels.entries()) {
      const packed = body.bytes.subarray(body.at, body.at += layer.bytes[index]);
      const planes = await inflate(packed);
      channels[name] = name === "position" ? places(planes, layer.count) : numbers(planes, layer.count, components);
    }
    take(head, channels, layer.count);
  }
}

async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

// For twelve bits of a number on the curve: four of x, y and z each.
const TWELVE = Uint16Array.from({ length: 4096 }, (_, bits) => {
  let found = 0;
  for (let bit = 0; bit < 12; bit++) if (bits >> bit & 1) found |= 1 << (4 * (bit % 3) + Math.floor(bit / 3));
  return found;
});

// The cells of points, four numbers each, of which the last is 0.
function places(planes, count) {
  const found = new Uint16Array(4 * count);
  const order = spread(count);
  let [low, high] = [0, 0];
  for (let index = 0; index < count; index++) {
    low += planes[index] | planes[count + index] << 8 | planes[2 * count + index] << 16;
    high += (planes[3 * count + index] | planes[4 * count + index] << 8 | planes[5 * count + index] << 16) + (low >>> 24);
    low &= 0xffffff;
    const parts = [TWELVE[high >> 12 & 4095], TWELVE[high & 4095], TWELVE[low >> 12], TWELVE[low & 4095]];
    const at = 4 * order[index];
    for (const part of parts) {
      found[at] = found[at] << 4 | part & 15;
      found[at + 1] = found[at + 1] << 4 | part >> 4 & 15;
      found[at + 2] = found[at + 2] << 4 | part >> 8;
    }
  }
  return found;
}

// The bytes of a channel, four for each point: its components, and 255 for what is not there.
function numbers(planes, count, components) {
  const found = new Uint8Array(4 * count).fill(255);
  const order = spread(count);
  for (let component = 0; component < components; component++) {
    let value = 0;
    for (let index = 0; index < count; index++) {
      value = value + planes[component * count + index] & 255;
      found[4 * order[index] + component] = value;
    }
  }
  return found;
}

const orders = new Map();
// Where each point along the curve goes, so that any beginning is an even sample: the sequence of van der Corput (1935).
function spread(count) {
  if (orders.has(count)) return orders.get(count);
  const order = new Uint32Array(count);
  const bits = count > 1 ? 32 - Math.clz32(count - 1) : 0;
  let next = 0;
  for (let number = 0; number < 2 ** bits; number++) {
    let place = 0;
    for (let bit = 0; bit < bits; bit++) place |= (number >> bit & 1) << (bits - 1 - bit);
    if (place < count) order[place] = next++;
  }
  orders.clear();
  orders.set(count, order);
  return order;
}

// ---- What the browser keeps

let database = null;

function open() {
  database ??= new Promise((resume, fail) => {
    const request = indexedDB.open("sharedworld", 1);
    request.onupgradeneeded = () => request.result.createObjectStore("bodies");
    request.onsuccess = () => resume(request.result);
    request.onerror = () => fail(request.error);
  });
  return database;
}

async function store(mode, ask) {
  const bodies = (await open()).transaction("bodies", mode).objectStore("bodies");
  return new Promise((resume, fail) => {
    const request = ask(bodies);
    request.onsuccess = () => resume(request.result ?? null);
    request.onerror = () => fail(request.error);
  });
}

// A browser without room, or in a private window, keeps nothing.
async function keep(key, bytes) {
  try {
    await store("readwrite", (bodies) => bodies.put({ bytes, time: Date.now() }, key));
    const keys = await store("readonly", (bodies) => bodies.getAllKeys());
    if (keys.length <= KEPT) return;
    const all = await Promise.all(keys.map(async (one) => [one, (await store("readonly", (bodies) => bodies.get(one)))?.time ?? 0]));
    all.sort(([, a], [, b]) => a - b);
    for (const [old] of all.slice(0, keys.length - KEPT)) await store("readwrite", (bodies) => bodies.delete(old));
  } catch (error) {
    console.warn(error);
  }
}
