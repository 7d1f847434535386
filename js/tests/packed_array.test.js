import assert from "node:assert/strict";
import test from "node:test";
import { deflateSync } from "node:zlib";
import { unpack, unpackAll } from "../src/html_export/packed_array.js";

const packed = (type, array) => ({ type, packed: deflateSync(new Uint8Array(array.buffer)).toString("base64") });

test("arrays come back as they were", async () => {
  for (const [type, array] of /** @type {[any, any][]} */ ([
    ["u1", Uint8Array.of(0, 255)],
    ["u4", Uint32Array.of(1, 0xffffffff)],
    ["i4", Int32Array.of(-1, 7)],
    ["i8", BigInt64Array.of(-(2n ** 60n), 3n)],
    ["f8", Float64Array.of(1e300, 0.1)],
    ["f4", Float32Array.of(1.5, Number.NaN)],
  ]))
    assert.deepEqual(await unpack(packed(type, array)), array);
});

test("all arrays of a page are unpacked, but for tiles", async () => {
  const array = Int32Array.of(1, 2);
  const one = packed("i4", array);
  const value = { maps: [{ numbers: one, n: 3, name: null }], image: { tiles: { "0,0": one } }, empty: [] };
  assert.deepEqual(await unpackAll(value), {
    maps: [{ numbers: array, n: 3, name: null }],
    image: { tiles: { "0,0": one } },
    empty: [],
  });
});
