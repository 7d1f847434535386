// The shaders of a map.

export const VERTEX = `#version 300 es
layout(location = 0) in vec3 place;
layout(location = 1) in float code;
layout(location = 2) in float share;
layout(location = 3) in float flags;
uniform mat3 turn;
uniform vec2 centre, scale, half_sides;
uniform float size, spread, pass, dimmed, arrow;
uniform sampler2D palette;
out vec4 colour;
out float diameter;
flat out int hollow;
flat out int shape; // 0: a disc, 1: a triangle, 2: a diamond
flat out vec2 outward; // where a triangle points
void main() {
  int bits = int(flags);
  bool selected = (bits & 1) != 0;
  bool now = (bits & 8) != 0; // in the frame shown
  hollow = (bits & 20) == 16 ? 1 : 0; // not beyond the edge
  bool shown = (bits & 2) == 0 && min(int(pass), 2) == (selected ? 2 : now || hollow == 1 ? 1 : 0);
  // Only on a map seen from the front does one know which edge a point lies beyond.
  outward = turn[2].z > 0.999 ? sign(place.xy) * step(half_sides - 1e-4, abs(place.xy)) : vec2(0);
  shape = (bits & 4) == 0 ? 0 : outward == vec2(0) ? 2 : 1;
  if (shape == 1) outward = normalize(outward);
  vec3 turned = turn * place;
  // Nearer points are larger and hide those behind them; on a map with two axes all are equally near.
  diameter = size * pow(spread, share - 0.5) * (selected || now ? 1.4 : 1.0) * (1.0 + 0.6 * turned.z);
  if (shape != 0) diameter = max(diameter, arrow);
  if (hollow == 1) diameter = max(diameter, 0.75 * arrow); // a smaller one would be all rim
  gl_Position = shown ? vec4((turned.xy - centre) * scale, -turned.z / 2.0, 1) : vec4(2, 2, 2, 1);
  gl_PointSize = diameter + 2.0;
  int at = int(code);
  colour = texelFetch(palette, ivec2(at % 256, at / 256), 0);
  if (!selected && !now) colour.a *= hollow == 1 && dimmed < 1.0 ? 0.8 : dimmed;
}`;

export const FRAGMENT = `#version 300 es
precision highp float;
in vec4 colour;
in float diameter;
flat in int hollow;
flat in int shape;
flat in vec2 outward;
uniform vec4 ring;
uniform float pass;
out vec4 pixel;
void main() {
  vec2 here = vec2(gl_PointCoord.x - 0.5, 0.5 - gl_PointCoord.y) * (diameter + 2.0);
  float radius = diameter / 2.0;
  float away = length(here) - radius; // from the outline, negative inside
  if (shape == 1) {
    float along = dot(here, outward);
    float aside = abs(dot(here, vec2(-outward.y, outward.x)));
    away = max(-along, 0.5 * along + 0.866 * aside) - radius / 2.0;
  }
  if (shape == 2) away = 0.707 * (abs(here.x) + abs(here.y) - radius);
  float inside = clamp(0.5 - away, 0.0, 1.0);
  // Within the rim of a selected one, a band keeps the colour.
  if (hollow == 1) inside *= clamp(away + (pass > 1.5 ? 3.7 : 2.2), 0.0, 1.0);
  if (inside <= 0.0) discard;
  // Thin enough to leave the colour of small points.
  float rim = pass > 1.5 ? clamp(away + 0.5 + clamp(0.3 * radius, 0.6, 2.0), 0.0, 1.0) : 0.0;
  // In the last pass the rim is faint, so that what is within it is not hidden by the rims of others.
  if (pass > 2.5) inside *= 1.0 - 0.85 * rim;
  // Yellow must be seen on a light page.
  vec4 mixed = mix(hollow == 1 ? vec4(mix(colour.rgb, ring.rgb, 0.4), colour.a) : colour, ring, rim);
  pixel = vec4(mixed.rgb * mixed.a, mixed.a) * inside;
}`;
