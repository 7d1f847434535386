// Arrays stored in the page as text.

/** @import { NumberArray, PackedArray } from "./data" */

import { inflate } from "../shared/bytes.js";

/** @type {Record<PackedArray["type"], (buffer: ArrayBuffer) => NumberArray>} */
const ARRAYS = {
  u1: (buffer) => new Uint8Array(buffer),
  u4: (buffer) => new Uint32Array(buffer),
  i4: (buffer) => new Int32Array(buffer),
  i8: (buffer) => new BigInt64Array(buffer),
  f4: (buffer) => new Float32Array(buffer),
  f8: (buffer) => new Float64Array(buffer),
};

/** @param {string} text */
export function fromBase64(text) {
  return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
}

/**
 * @param {PackedArray} array
 * @returns {Promise<NumberArray>}
 */
export async function unpack({ type, packed }) {
  return ARRAYS[type]((await inflate(fromBase64(packed))).buffer);
}

/**
 * A JSON value with all arrays in it unpacked, except those of the tiles, because few tiles are looked at.
 * @param {unknown} value
 * @returns {Promise<unknown>}
 */
export async function unpackAll(value) {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return Promise.all(value.map(unpackAll));
  if ("packed" in value) return unpack(/** @type {PackedArray} */ (value));
  const entries = Object.entries(value).map(async ([name, part]) => [
    name,
    name === "tiles" ? part : await unpackAll(part),
  ]);
  return Object.fromEntries(await Promise.all(entries));
}
