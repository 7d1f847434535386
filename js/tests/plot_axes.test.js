import assert from "node:assert/strict";
import test from "node:test";
import { Axes } from "../src/feature_plot/axes.js";

/** Axes whose inner part has 100 x 100 pixels. */
function axes() {
  return Object.assign(new Axes(), { width: 168, height: 144, limits: [0, 10, -1, 1] });
}

/** @param {Partial<import("../src/feature_plot/traits").Outline>} change */
function outline(change) {
  return { paths: [], closed: true, handles: [], name: "", colour: "#fff", current: true, ...change };
}

test("a position lies at a pixel, and comes back from there", () => {
  const plot = axes();
  assert.deepEqual(plot.toPixel([0, 1]), [58, 6]);
  assert.deepEqual(plot.toPixel([10, -1]), [158, 106]);
  assert.deepEqual(plot.toPosition([108, 56]), [5, 0]);
  assert.ok(plot.toPixel([1e300, 0])[0] <= 1e5);
});

test("zooming keeps what is under the mouse, and the heights of a histogram", () => {
  const plot = axes();
  plot.limits = plot.zoomed([58, 56], 0.5, false);
  assert.deepEqual(plot.limits, [0, 5, -0.5, 0.5]);
  assert.deepEqual(plot.zoomed([58, 56], 0.5, true), [0, 2.5, -0.5, 0.5]);
});

test("a gate is taken by a handle, a line, or its inside", () => {
  const plot = axes();
  /** @type {[number, number][]} */
  const square = [
    [2, -0.5],
    [8, -0.5],
    [8, 0.5],
    [2, 0.5],
  ];
  const gate = outline({ paths: [square], handles: square });
  assert.equal(plot.grip(gate, [139, 32], false), 2);
  assert.equal(plot.grip(gate, [108, 56], true), null);
  assert.equal(plot.grip(gate, [108, 56], false), undefined);
  assert.equal(plot.grip(gate, [60, 56], true), undefined);
  assert.equal(plot.grip(undefined, [108, 56], true), undefined);
  const line = outline({
    paths: [
      [
        [5, -9],
        [5, 9],
      ],
    ],
    closed: false,
  });
  assert.equal(plot.grip(line, [111, 20], false), null);
  assert.equal(plot.grip(line, [130, 20], false), undefined);
});
