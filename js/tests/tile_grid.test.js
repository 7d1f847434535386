import assert from "node:assert/strict";
import test from "node:test";
import { keyOf } from "../src/image_pane/tile.js";
import { TileGrid } from "../src/image_pane/tile_grid.js";
import { picture } from "./fake_model.js";

const VIEW = { picture: 3, frame: 4, plane: 5, row: 0, column: 0, zoom: 1 };

function gridOf({
  row = 499.5,
  column = 999.5,
  zoom = 1,
  width = 400,
  height = 300,
  ratio = 1,
  factors = [1, 2, 4, 8],
} = {}) {
  const scene = {
    picture: picture({ factors }),
    view: VIEW,
    camera: { row, column, zoom },
    width,
    height,
    sources: [-1, 0],
  };
  return new TileGrid(/** @type {any} */ (scene), ratio);
}

test("the level has about as many pixels as the screen", () => {
  const levels = [2, 1, 0.9, 0.8, 0.5, 0.25, 0.1, 0.01].map((zoom) => gridOf({ zoom }).level);
  assert.deepEqual(levels, [0, 0, 0, 0, 1, 2, 3, 3]);
  assert.equal(gridOf({ zoom: 0.5, ratio: 2 }).level, 0);
});

test("the finest level there is will do", () => {
  assert.equal(gridOf({ zoom: 4, factors: [2, 4] }).level, 0);
});

test("only tiles in view are needed, those in the middle first", () => {
  // Rows 350 to 650 and columns 800 to 1200, in tiles of 256.
  const { cells } = gridOf();
  assert.deepEqual(
    cells.slice(0, 2).sort(),
    [
      [1, 3],
      [2, 3],
    ].sort(),
  );
  assert.deepEqual(
    [...cells].sort(),
    [
      [1, 3],
      [1, 4],
      [2, 3],
      [2, 4],
    ].sort(),
  );
  assert.deepEqual(gridOf({ row: 0, column: 0 }).cells, [[0, 0]]);
  assert.deepEqual(gridOf({ row: 999, column: 1999 }).cells, [[3, 7]]);
});

test("a tile is needed as soon as one of its pixels is seen", () => {
  // The edge of pixel 255 is 255.5.
  const at = (column) =>
    gridOf({ row: 0, column, width: 100 })
      .cells.map(([, cell]) => cell)
      .sort();
  assert.deepEqual(at(255.5 - 50), [0]);
  assert.deepEqual(at(255.5 - 49.9), [0, 1]);
  assert.deepEqual(at(255.5 + 50), [1]);
});

test("the whole picture, coarse, comes first, then labels and channels tile by tile", () => {
  const grid = gridOf({ row: 0, column: 0 });
  assert.deepEqual(grid.tiles.map(keyOf), ["3,-1,3,4,5,0,0", "3,0,3,4,5,0,0", "3,-1,0,4,5,0,0", "3,0,0,4,5,0,0"]);
  assert.equal(gridOf({ zoom: 0.01 }).tiles.length, 2); // it is all there is
});

test("a coarser tile stands in, at its own pixels", () => {
  const grid = gridOf();
  const have = (...keys) => ({ get: (tile) => (keys.includes(keyOf(tile)) ? keyOf(tile) : undefined) });
  const cell = /** @type {[number, number]} */ ([1, 3]);
  const find = (...keys) => grid.find(0, cell, /** @type {any} */ (have(...keys)));
  assert.equal(find(), null);
  const box = [256, 768, 512, 1024];
  const coarse = { found: "3,0,2,4,5,0,0", texels: [64, 192, 128, 256], box };
  assert.deepEqual(find("3,0,2,4,5,0,0", "3,0,3,4,5,0,0"), coarse);
  assert.deepEqual(find("3,0,2,4,5,0,0", "3,0,0,4,5,1,3"), {
    found: "3,0,0,4,5,1,3",
    texels: [0, 0, 256, 256],
    box,
  });
  assert.equal(find("3,-1,0,4,5,1,3"), null); // another channel's
});

test("the last tiles end with the picture", () => {
  const grid = gridOf({ row: 999, column: 1999 });
  const placed = grid.find(0, [3, 7], /** @type {any} */ ({ get: () => "any" }));
  assert.deepEqual(placed?.box, [768, 1792, 1000, 2000]);
  assert.deepEqual(placed?.texels, [0, 0, 232, 208]);
});
