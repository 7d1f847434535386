// The shaders of tracks: each line is a narrow rectangle, because WebGL's own lines are one pixel wide.

export const LINE_VERTEX = `#version 300 es
layout(location = 0) in vec3 start;
layout(location = 1) in vec3 stop;
layout(location = 2) in vec2 codes;
layout(location = 3) in vec2 times;
uniform mat3 turn;
uniform vec2 centre, scale, pixel;
uniform float width, now, tail, stands_out;
uniform vec4 ink;
uniform sampler2D palette;
out vec4 colour;
vec2 seen(vec3 place) {
  return ((turn * place).xy - centre) * scale;
}
// As latentmap.display.track_fading has it.
float opacity(float time) {
  if (stands_out > 0.5) return 1.0;
  if (now < 0.0) return 0.6;
  return time > now ? 0.1 : 1.0 - 0.85 * clamp((now - time) / tail, 0.0, 1.0);
}
void main() {
  bool last = gl_VertexID > 1;
  vec2 from = seen(start), to = seen(stop);
  vec2 along = (to - from) / pixel;
  vec2 aside = length(along) > 0.0 ? normalize(vec2(-along.y, along.x)) : vec2(0);
  float side = (gl_VertexID & 1) == 1 ? 0.5 : -0.5;
  gl_Position = vec4((last ? to : from) + side * width * aside * pixel, 0, 1);
  int at = int(last ? codes.y : codes.x);
  colour = texelFetch(palette, ivec2(at % 256, at / 256), 0);
  colour.rgb = mix(colour.rgb, ink.rgb, 0.5 * stands_out);
  colour.a *= opacity(last ? times.y : times.x);
}`;

export const LINE_FRAGMENT = `#version 300 es
precision highp float;
in vec4 colour;
out vec4 pixel;
void main() {
  pixel = vec4(colour.rgb * colour.a, colour.a);
}`;
