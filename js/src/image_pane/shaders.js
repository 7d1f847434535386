// The shaders of an image.

/** The corners of a box on the canvas, computed from the index of the corner alone. */
export const CORNERS = `#version 300 es
uniform vec4 box;      // left, top, right, bottom: of the canvas, from -1 to 1
uniform vec4 texels;   // the same for the tile
out vec2 texel;
void main() {
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
  texel = mix(texels.xy, texels.zw, corner);
  gl_Position = vec4(mix(box.xy, box.zw, corner), 0, 1);
}`;

/** A tile of a channel. Two-byte values are stored in red and green, which `decode` weighs and adds up. */
export const LIGHT = `#version 300 es
precision highp float;
uniform sampler2D tile;
uniform vec2 decode;
uniform vec2 limits;
uniform vec3 colour;
uniform bool hasColours;
in vec2 texel;
out vec4 light;
void main() {
  vec4 value = texelFetch(tile, min(ivec2(texel), textureSize(tile, 0) - 1), 0);
  float share = (dot(value.rg, decode) - limits.x) / (limits.y - limits.x);
  light = vec4(hasColours ? value.rgb : clamp(share, 0.0, 1.0) * colour, 1);
}`;

/** The numbers of the cells in a tile. */
export const NUMBERS = `#version 300 es
precision highp float;
precision highp usampler2D;
uniform usampler2D tile;
in vec2 texel;
out uint number;
void main() {
  number = texelFetch(tile, min(ivec2(texel), textureSize(tile, 0) - 1), 0).r;
}`;

/** Draws the cells over the image. The number in a tile is one more than the index of the cell's colour. */
export const CELLS = `#version 300 es
precision highp float;
precision highp usampler2D;
uniform sampler2D light;
uniform usampler2D numbers;
uniform sampler2D colours;
uniform usampler2D selected;
uniform uint nColours;
uniform uint nSelected;
uniform uint pointed;
uniform float opacity;
uniform vec3 highlight;
uniform int line;
uniform vec4 inside;   // left, bottom, right, top edge of the picture, in pixels of the canvas
out vec4 result;

const vec4 GREY = vec4(0.62, 0.62, 0.62, 0);
const ivec2 BESIDE[4] = ivec2[4](ivec2(1, 0), ivec2(-1, 0), ivec2(0, 1), ivec2(0, -1));

ivec2 place(uint number) { return ivec2(number & 4095u, number >> 12); }

bool isSelected(uint cell) {
  return (cell >> 3) < nSelected && ((texelFetch(selected, place(cell >> 3), 0).r >> (7u - (cell & 7u))) & 1u) == 1u;
}

bool isEdge(ivec2 at, uint own, int width) {
  for (int step = 1; step <= width; step++)
    for (int side = 0; side < 4; side++) {
      ivec2 beside = at + step * BESIDE[side];
      if (any(lessThan(vec2(beside), inside.xy)) || any(greaterThanEqual(vec2(beside), inside.zw))) continue;
      if (texelFetch(numbers, clamp(beside, ivec2(0), textureSize(numbers, 0) - 1), 0).r != own) return true;
    }
  return false;
}

void main() {
  ivec2 at = ivec2(gl_FragCoord.xy);
  if (any(lessThan(gl_FragCoord.xy, inside.xy)) || any(greaterThan(gl_FragCoord.xy, inside.zw))) discard;
  vec3 seen = texelFetch(light, at, 0).rgb;
  uint number = texelFetch(numbers, at, 0).r;
  uint cell = number - 1u;
  bool isCell = number != 0u;
  bool isChosen = isCell && isSelected(cell);
  if (isCell) {
    vec4 tint = cell < nColours ? texelFetch(colours, place(cell), 0) : GREY;
    bool isOutline = isEdge(at, number, isChosen || number == pointed ? 2 * line : line);
    seen = mix(seen, tint.rgb, isOutline ? 0.9 : opacity * tint.a);
    if (isChosen) seen = isOutline ? mix(highlight, vec3(1), 0.5) : mix(seen, highlight, 0.75);
    if (number == pointed && isOutline) seen = vec3(1);
  }
  result = vec4(nSelected == 0u || isChosen || (isCell && number == pointed) ? seen : 0.4 * seen, 1);
}`;
