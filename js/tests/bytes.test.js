import assert from "node:assert/strict";
import test from "node:test";
import { deflateSync } from "node:zlib";
import { alignedBuffer, bytesOf, hasBit, inflate, packBits, unpackBits } from "../src/shared/bytes.js";

test("bytes are those of a view only, and without a copy", () => {
  const buffer = Uint8Array.of(1, 2, 3, 4, 5).buffer;
  const bytes = bytesOf(new DataView(buffer, 1, 3));
  assert.deepEqual([...bytes], [2, 3, 4]);
  assert.equal(bytes.buffer, buffer);
  assert.deepEqual([...bytesOf(buffer)], [1, 2, 3, 4, 5]);
  assert.equal(bytesOf(null).length, 0);
  assert.equal(bytesOf(undefined).length, 0);
});

test("numbers that begin anywhere can be read", () => {
  const bytes = new Uint8Array(9);
  bytes.set(new Uint8Array(Float32Array.of(1.5, -2).buffer), 1);
  assert.deepEqual([...new Float32Array(alignedBuffer(bytes.subarray(1)))], [1.5, -2]);
});

test("bits are packed as numpy.packbits packs them", () => {
  const flags = Uint8Array.of(1, 0, 0, 0, 0, 0, 0, 1, 1, 0);
  const bits = packBits(flags);
  assert.deepEqual([...bits], [0b10000001, 0b10000000]);
  assert.deepEqual(unpackBits(bits, 10), flags);
  assert.deepEqual(
    [0, 1, 7, 8, 9].map((at) => hasBit(bits, at)),
    [true, false, true, true, false],
  );
});

test("bits that are not there are not set", () => {
  assert.equal(hasBit(Uint8Array.of(255), 8), false);
  assert.deepEqual([...unpackBits(Uint8Array.of(255), 10)], [1, 1, 1, 1, 1, 1, 1, 1, 0, 0]);
  assert.deepEqual([...unpackBits(new Uint8Array(), 2)], [0, 0]);
});

test("what zlib has compressed is inflated", async () => {
  const bytes = Uint8Array.from({ length: 1000 }, (_, at) => at % 7);
  assert.deepEqual(await inflate(new Uint8Array(deflateSync(bytes))), bytes);
});
