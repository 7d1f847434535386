import assert from "node:assert/strict";
import test from "node:test";
import { Camera } from "../src/map_pane/camera.js";
import { Points } from "../src/map_pane/points.js";
import { packBits } from "../src/shared/bytes.js";

/** Bytes that begin where no number may, as they do in a message. */
function sent(array) {
  const bytes = new Uint8Array(array.byteLength + 1);
  bytes.set(new Uint8Array(array.buffer), 1);
  return new DataView(bytes.buffer, 1);
}

/**
 * @param {number[][]} places
 * @param {{ axes?: number, selected?: number[], hidden?: number[], beyond?: number[], hollow?: number[], shares?: number[] }} more
 */
function pointsOf(places, more = {}) {
  const { axes = 2, selected = [], hidden = [], beyond = [], hollow = [], shares = [] } = more;
  const state = {
    places: sent(Float32Array.from(places.flat())),
    axes,
    frame: 5,
    codes: sent(Uint16Array.from(places, (_, at) => 300 * at)),
    shares: sent(Uint8Array.from(shares)),
    palette: sent(Uint8Array.of(1, 2, 3, 4)),
    selected: packBits(Uint8Array.from(selected)),
    hidden: packBits(Uint8Array.from(hidden)),
    beyond: packBits(Uint8Array.from(beyond)),
    hollow: packBits(Uint8Array.from(hollow)),
  };
  return new Points(/** @type {any} */ ({ get: (name) => state[name] }));
}

const FRONT = new Camera().turn;
const SQUARE = [
  [0, 0],
  [0.25, 0],
  [0, 0.25],
  [0.25, 0.25],
];

test("points are read as Python has sent them", () => {
  const points = pointsOf(SQUARE, { selected: [0, 1, 1], hidden: [0, 0, 1, 1], shares: [0, 51, 255, 255] });
  assert.equal(points.count, 4);
  assert.equal(points.frame, 5);
  assert.deepEqual([...points.places], SQUARE.flat());
  assert.deepEqual([...points.codes], [0, 300, 600, 900]);
  assert.deepEqual([...points.shares], [0, Math.fround(0.2), 1, 1]);
  assert.deepEqual([...points.palette], [1, 2, 3, 4]);
  assert.deepEqual([...points.flags], [0, 1, 3, 2]);
  assert.ok(points.hasSelection);
});

test("hollow points have a flag of their own, and are drawn in a pass of their own", () => {
  const points = pointsOf(SQUARE, { hollow: [0, 1, 1], selected: [0, 0, 1] });
  assert.deepEqual([...points.flags], [0, 16, 17, 0]);
  assert.deepEqual(
    [0, 1, 2, 3].map((row) => points.passOf(row)),
    [0, 1, 2, 0],
  );
  const atEdge = pointsOf(SQUARE, { hollow: [1, 1, 1], beyond: [0, 1], hidden: [0, 0, 1] });
  assert.deepEqual(
    [0, 1, 2, 3].map((row) => atEdge.passOf(row)),
    [1, 0, undefined, 0],
  );
  assert.ok(points.hasHollow);
  assert.ok(!pointsOf(SQUARE).hasHollow);
});

test("without shares all points have a middle size, and without marks none is selected", () => {
  const points = pointsOf(SQUARE);
  assert.deepEqual([...points.shares], [0.5, 0.5, 0.5, 0.5]);
  assert.deepEqual([...points.flags], [0, 0, 0, 0]);
  assert.ok(!points.hasSelection);
});

test("a point beyond the edge is hit where it is drawn, unless it is hidden", () => {
  const points = pointsOf(SQUARE, { beyond: [0, 1, 1], hidden: [0, 0, 1], selected: [0, 1] });
  assert.deepEqual([...points.flags], [0, 5, 6, 0]);
  assert.equal(points.nearest([0.24, 0], 0.05, FRONT), 1);
  assert.equal(points.nearest([0, 0.24], 0.05, FRONT), -1);
});

test("the nearest point within reach is hit", () => {
  const points = pointsOf(SQUARE);
  assert.equal(points.nearest([0.26, 0.24], 0.05, FRONT), 3);
  assert.equal(points.nearest([0.1, 0.02], 0.15, FRONT), 0);
  assert.equal(points.nearest([0.15, 0.02], 0.15, FRONT), 1);
  assert.equal(points.nearest([0.5, 0.5], 0.05, FRONT), -1);
});

test("a hidden point is not hit", () => {
  const points = pointsOf(SQUARE, { hidden: [1, 0, 0, 0] });
  assert.equal(points.nearest([0, 0], 0.05, FRONT), -1);
  assert.equal(points.nearest([0, 0], 0.3, FRONT), 1);
});

test("of points behind each other the one in front is hit, however the map is turned", () => {
  const points = pointsOf(
    [
      [0, 0, -0.5],
      [0, 0, 0.5],
      [0, 0, 0],
    ],
    { axes: 3 },
  );
  assert.equal(points.nearest([0, 0], 0.1, FRONT), 1);
  const back = /** @type {any} */ ([
    [-1, 0, 0],
    [0, 1, 0],
    [0, 0, -1],
  ]);
  assert.equal(points.nearest([0, 0], 0.1, back), 0);
  const side = /** @type {any} */ ([
    [0, 0, 1],
    [0, 1, 0],
    [-1, 0, 0],
  ]);
  assert.equal(points.nearest([0.5, 0], 0.1, side), 1);
});
