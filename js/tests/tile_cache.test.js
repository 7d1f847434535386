import assert from "node:assert/strict";
import test from "node:test";
import { TileCache } from "../src/image_pane/tile_cache.js";
import { fakeGl } from "./fake_model.js";

const tile = (column, source = 0) => ({ picture: 0, source, level: 0, frame: 0, plane: 0, row: 0, column });

function filled() {
  const gl = fakeGl();
  const cache = new TileCache(gl, 250);
  for (const column of [0, 1, 2]) cache.put(tile(column), "uint8", [10, 10], new Uint8Array(100));
  return { gl, cache };
}

const kept = (cache) => [0, 1, 2].filter((column) => cache.has(tile(column)));

test("tiles not seen for longest are dropped", () => {
  const { gl, cache } = filled();
  cache.touch([tile(0)]);
  cache.trim([]);
  assert.deepEqual(kept(cache), [0, 2]);
  assert.equal(cache.nBytes, 200);
  assert.equal(gl.textures, 2);
});

test("what is in view stays, whatever its size", () => {
  const { cache } = filled();
  cache.mostBytes = 0;
  cache.trim([tile(0), tile(1)]);
  assert.deepEqual(kept(cache), [0, 1]);
});

test("a tile that comes again takes the place of the one before", () => {
  const { gl, cache } = filled();
  cache.put(tile(1), "uint8", [5, 10], new Uint8Array(50));
  assert.equal(cache.nBytes, 250);
  assert.equal(gl.textures, 3);
});

test("a tile that could not be read is there, without pixels", () => {
  const { gl, cache } = filled();
  cache.put(tile(3), "uint8", [0, 0], null);
  assert.ok(cache.has(tile(3)));
  assert.equal(cache.get(tile(3))?.texture, null);
  assert.equal(gl.textures, 3);
});

test("tiles of one source can be dropped", () => {
  const { gl, cache } = filled();
  cache.put(tile(0, -1), "numbers", [5, 5], new Uint8Array(100));
  cache.dropIf(({ source }) => source === -1);
  assert.ok(!cache.has(tile(0, -1)));
  assert.deepEqual(kept(cache), [0, 1, 2]);
  assert.equal(gl.textures, 3);
});
