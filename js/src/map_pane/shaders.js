// The shaders of a map.

export const VERTEX = `#version 300 es
layout(location = 0) in vec3 place;
layout(location = 1) in float code;
layout(location = 2) in float share;
layout(location = 3) in float flags;
uniform mat3 turn;
uniform vec2 centre, scale;
uniform float size, spread, pass, dimmed;
uniform sampler2D palette;
out vec4 colour;
out float diameter;
void main() {
  bool selected = mod(flags, 2.0) >= 1.0;
  bool shown = flags < 2.0 && (selected == (pass > 0.5));
  vec3 turned = turn * place;
  // Nearer points are larger and hide those behind them; on a map with two axes all are equally near.
  diameter = size * pow(spread, share - 0.5) * (selected ? 1.4 : 1.0) * (1.0 + 0.6 * turned.z);
  gl_Position = shown ? vec4((turned.xy - centre) * scale, -turned.z / 2.0, 1) : vec4(2, 2, 2, 1);
  gl_PointSize = diameter + 2.0;
  int at = int(code);
  colour = texelFetch(palette, ivec2(at % 256, at / 256), 0);
  if (!selected) colour.a *= dimmed;
}`;

export const FRAGMENT = `#version 300 es
precision highp float;
in vec4 colour;
in float diameter;
uniform vec4 ring;
uniform float pass;
out vec4 pixel;
void main() {
  float away = length(gl_PointCoord - 0.5) * (diameter + 2.0);
  float inside = clamp(diameter / 2.0 - away + 0.5, 0.0, 1.0);
  if (inside <= 0.0) discard;
  float rim = pass > 0.5 ? clamp(away - diameter / 2.0 + 2.5, 0.0, 1.0) : 0.0;
  vec4 mixed = mix(colour, ring, rim);
  pixel = vec4(mixed.rgb * mixed.a, mixed.a) * inside;
}`;
