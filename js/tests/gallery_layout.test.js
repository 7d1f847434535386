import assert from "node:assert/strict";
import test from "node:test";
import { Layout } from "../src/gallery/layout.js";
import { opaquePixels } from "../src/gallery/pixels.js";

test("as many pictures stand in a row as there is room for", () => {
  assert.deepEqual(
    [10, 64, 133, 134, 204].map((width) => new Layout(9, width).columns),
    [1, 1, 1, 2, 3],
  );
});

test("rows are below each other, and all have room", () => {
  const layout = new Layout(7, 204);
  assert.equal(layout.height, 3 * 86);
  assert.deepEqual(layout.corner(0), { left: 0, top: 0 });
  assert.deepEqual(layout.corner(5), { left: 140, top: 86 });
});

test("rows in sight, also in part, are shown", () => {
  const layout = new Layout(100, 204);
  assert.deepEqual(layout.inSight(0, 86), [0, 3]);
  assert.deepEqual(layout.inSight(85, 86), [0, 6]);
  assert.deepEqual(layout.inSight(86, 87), [3, 9]);
  assert.deepEqual(layout.inSight(86 * 33, 200), [99, 100]);
});

test("pixels become opaque, from where a picture begins", () => {
  const bytes = Uint8Array.from({ length: 24 }, (_, at) => at);
  assert.deepEqual(
    [...opaquePixels(bytes, 12, 2)],
    [12, 13, 14, 255, 15, 16, 17, 255, 18, 19, 20, 255, 21, 22, 23, 255],
  );
});
