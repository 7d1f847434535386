import assert from "node:assert/strict";
import test from "node:test";
import { Camera } from "../src/map_pane/camera.js";
import { RandomOrder, sampleInView } from "../src/map_pane/sample.js";

const COUNT = 10_000;

/** Points on a line across the map; every tenth is selected, and the first is hidden. */
const LINE = /** @type {any} */ ({
  axes: 2,
  places: Float32Array.from({ length: 2 * COUNT }, (_, at) => (at % 2 ? 0 : at / 2 / COUNT - 0.5)),
  passOf: (/** @type {number} */ row) => (row === 0 ? undefined : row % 10 ? 0 : 2),
});
const order = new RandomOrder().of(COUNT);

function cameraAt(zoom = 1, centre = [0, 0]) {
  return Object.assign(new Camera(), { width: 400, height: 400, zoom, centre });
}

test("each point is once in the order, which is always the same", () => {
  assert.deepEqual(
    Uint32Array.from(order).sort(),
    Uint32Array.from({ length: COUNT }, (_, at) => at),
  );
  assert.notDeepEqual(order.subarray(0, 100), Uint32Array.from(order).sort().subarray(0, 100));
  assert.deepEqual(new RandomOrder().of(COUNT), order);
});

test("as many points are drawn as there may be, from everywhere", () => {
  const [others, hollow, selected] = sampleInView(LINE, cameraAt(), order, 400);
  assert.deepEqual([others.length, hollow.length, selected.length], [400, 0, 400]);
  assert.ok(others.every((row, at) => row % 10 && (!at || row > others[at - 1])));
  const left = others.filter((row) => row < COUNT / 2).length;
  assert.ok(left > 150 && left < 250);
});

test("where there is room, all are drawn but hidden ones", () => {
  const [others, , selected] = sampleInView(LINE, cameraAt(), order, COUNT);
  assert.equal(others.length, 9000);
  assert.equal(selected.length, 999);
});

test("zooming in shows more of what is in view, and removes none", () => {
  const [far] = sampleInView(LINE, cameraAt(), order, 400);
  const [near] = sampleInView(LINE, cameraAt(10, [0.25, 0]), order, 400);
  const inView = new Set(near);
  const half = 400 / cameraAt(10).pixels / 2;
  const isIn = (/** @type {number} */ row) => Math.abs(row / COUNT - 0.75) < half - 0.001;
  assert.ok(far.filter(isIn).length < 60);
  assert.ok(far.filter(isIn).every((row) => inView.has(row)));
  assert.equal(near.length, 400);
});
