/** @import { Point } from "../src/shared/model" */

import assert from "node:assert/strict";
import test from "node:test";
import { Camera } from "../src/map_pane/camera.js";
import { layOut } from "../src/map_pane/names.js";

test("names stand at their places, unless one is there already", () => {
  /** @type {Point[]} */
  const sizes = [
    [20, 10],
    [20, 10],
    [20, 10],
  ];
  /** @type {Point[]} */
  const points = [
    [50, 50],
    [52, 50],
    [900, 50],
  ];
  assert.deepEqual(layOut(points, sizes, [100, 100]), [[50, 50], [52, 40], null]);
});

test("a name without room is left out, and the next one may have it", () => {
  /** @type {Point[]} */
  const points = [
    [50, 10],
    [50, 10],
    [50, 10],
    [50, 30],
  ];
  const sizes = Array(4).fill(/** @type {Point} */ ([98, 19]));
  assert.deepEqual(layOut(points, sizes, [100, 40]), [[50, 10], [50, 29], null, null]);
});

test("a place on the map and a point of the canvas lead back to each other", () => {
  const camera = Object.assign(new Camera(), { width: 300, height: 200, centre: [0.1, -0.2], zoom: 3 });
  const [x, y] = camera.toMap(camera.toCanvas([0.25, -0.125]));
  assert.ok(Math.abs(x - 0.25) + Math.abs(y + 0.125) < 1e-12);
});
