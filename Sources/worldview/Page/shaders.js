// The programs of the graphics: points as discs, lines, and the shading that makes shapes of points without normals.

// A place is counted in cells of the map's grid (PointLayers.swift); `place` brings it to metres from the lowest corner.
export const POINTS = `#version 300 es
uniform mat4 matrix, place;
uniform vec3 extent, clipLow, clipHigh;
uniform vec3 ground;
uniform float size, fogNear, fogFar;
uniform int tints; // 0 by height, 1 own colours, 2 grey, 3 a number on a scale
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
  vec3 there = (place * vec4(position, 1.0)).xyz;
  bool hidden = any(lessThan(there, clipLow)) || any(greaterThan(there, clipHigh));
  if (hidden) gl_Position = vec4(2.0, 2.0, 2.0, 1.0);
  gl_PointSize = clamp(size / gl_Position.w, 1.5, 64.0);
  float height = clamp(there.y / max(extent.y, 0.01), 0.0, 1.0);
  float fog = clamp((gl_Position.w - fogNear) / max(fogFar - fogNear, 0.01), 0.0, 1.0);
  vec3 mine = tints == 1 ? own : tints == 2 ? vec3(0.35 + 0.3 * height) : turbo(0.1 + 0.78 * (tints == 3 ? own.x : height));
  tint = vec4(mix(mine, ground, 0.45 * fog), 1.0);
}`;

export const DISC = `#version 300 es
precision mediump float;
in vec4 tint;
out vec4 color;
void main() {
  float radius = length(gl_PointCoord - 0.5);
  if (radius > 0.5) discard;
  color = vec4(tint.rgb * (1.1 - 0.9 * radius * radius), tint.a);
}`;

export const LINES = `#version 300 es
uniform mat4 matrix;
in vec3 position;
in vec4 color;
out vec4 tint;
void main() { gl_Position = matrix * vec4(position, 1.0); tint = color; }`;

export const FLAT = `#version 300 es
precision mediump float;
in vec4 tint;
out vec4 color;
void main() { color = tint; }`;

// Three corners that cover the picture.
export const COVER = `#version 300 es
void main() { gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0); }`;

// Eye-dome lighting (Boucheny, 2009): a pixel is darker for each neighbour that is nearer, by the ratio of their depths.
export const SHADE = `#version 300 es
precision highp float;
uniform sampler2D picture;
uniform highp sampler2D depths;
uniform float near, far, strength;
out vec4 color;
float depth(ivec2 at) {
  ivec2 last = textureSize(depths, 0) - 1;
  float z = texelFetch(depths, clamp(at, ivec2(0), last), 0).x;
  return log2(near * far / (far - z * (far - near)));
}
void main() {
  ivec2 at = ivec2(gl_FragCoord.xy);
  color = texelFetch(picture, at, 0);
  float mine = depth(at);
  float sum = 0.0;
  for (int turn = 0; turn < 4; turn++) {
    ivec2 side = 2 * ivec2(turn == 0 ? 1 : turn == 1 ? -1 : 0, turn == 2 ? 1 : turn == 3 ? -1 : 0);
    sum += min(max(0.0, mine - depth(at + side)), 0.06);
  }
  color.rgb *= exp(-strength * sum);
}`;
