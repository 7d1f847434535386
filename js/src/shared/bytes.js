// Bytes from Python: arrays, and flags packed into bits, the highest bit first.

/** @import { Bytes } from "./model" */

/**
 * The bytes of a trait or buffer, without copying them.
 * @param {Bytes | null | undefined} data
 * @returns {Uint8Array<ArrayBuffer>}
 */
export function bytesOf(data) {
  if (!data) return new Uint8Array();
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
}

/**
 * A copy of the bytes, aligned for numbers of any size.
 * @param {Bytes | null | undefined} data
 */
export function alignedBuffer(data) {
  return bytesOf(data).slice().buffer;
}

/**
 * Whether a bit is set; bits beyond the end count as not set.
 * @param {Uint8Array} bits
 * @param {number} at
 */
export function hasBit(bits, at) {
  return (((bits[at >> 3] ?? 0) >> (7 - (at & 7))) & 1) === 1;
}

/**
 * The first bits, as one byte each, 0 or 1.
 * @param {Uint8Array} bits
 * @param {number} count
 */
export function unpackBits(bits, count) {
  const flags = new Uint8Array(count);
  if (bits.length) for (let at = 0; at < count; at++) flags[at] = hasBit(bits, at) ? 1 : 0;
  return flags;
}

/** @param {Uint8Array} flags each 0 or 1 */
export function packBits(flags) {
  const bits = new Uint8Array(Math.ceil(flags.length / 8));
  for (let at = 0; at < flags.length; at++) bits[at >> 3] |= flags[at] << (7 - (at & 7));
  return bits;
}

/**
 * @param {Uint8Array<ArrayBuffer>} bytes compressed by zlib
 * @returns {Promise<Uint8Array<ArrayBuffer>>}
 */
export async function inflate(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
