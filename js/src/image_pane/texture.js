// Arrays of pixels as WebGL textures.

import { alignedBuffer } from "../shared/bytes.js";

/** The internal format, the format and the type for each kind of pixel. */
const FORMATS = /** @type {const} */ ({
  uint8: ["R8", "RED", "UNSIGNED_BYTE"],
  uint16: ["RG8", "RG", "UNSIGNED_BYTE"],
  float32: ["R32F", "RED", "FLOAT"],
  rgb: ["RGB8", "RGB", "UNSIGNED_BYTE"],
  rgba: ["RGBA8", "RGBA", "UNSIGNED_BYTE"],
  bits: ["R8UI", "RED_INTEGER", "UNSIGNED_BYTE"],
  numbers: ["R32UI", "RED_INTEGER", "UNSIGNED_INT"],
});

/** @typedef {keyof typeof FORMATS} TextureKind */

/**
 * The weights of red and green in a channel's texture; their weighted sum is the value of the channel.
 * @type {Record<import("./traits").ChannelKind, [number, number]>}
 */
export const DECODE = { uint8: [255, 0], uint16: [255, 255 * 256], float32: [1, 0], rgb: [255, 0] };

/**
 * @param {WebGL2RenderingContext} gl
 * @param {TextureKind} kind
 * @param {number} width
 * @param {number} height
 * @param {Uint8Array<ArrayBuffer> | null} bytes
 */
export function makeTexture(gl, kind, width, height, bytes = null) {
  const [internalFormat, format, type] = FORMATS[kind];
  const texture = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, texture);
  for (const filter of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER])
    gl.texParameteri(gl.TEXTURE_2D, filter, gl.NEAREST);
  for (const wrap of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, wrap, gl.CLAMP_TO_EDGE);
  gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
  const items = bytes && itemsOf(kind, bytes);
  gl.texImage2D(gl.TEXTURE_2D, 0, gl[internalFormat], width, height, 0, gl[format], gl[type], items);
  return texture;
}

/**
 * @param {TextureKind} kind
 * @param {Uint8Array<ArrayBuffer>} bytes
 */
function itemsOf(kind, bytes) {
  if (kind === "float32") return new Float32Array(alignedBuffer(bytes));
  return kind === "numbers" ? new Uint32Array(alignedBuffer(bytes)) : bytes;
}
