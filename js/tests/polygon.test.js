import assert from "node:assert/strict";
import test from "node:test";
import { Polygon } from "../src/html_export/polygon.js";

const of = (...corners) => new Polygon(/** @type {any} */ (corners));

test("a square contains what lies within, and its left and lower sides", () => {
  const square = of([0, 0], [2, 0], [2, 2], [0, 2]);
  assert.ok(square.contains(1, 1));
  assert.ok(square.contains(0, 0));
  for (const [x, y] of [
    [2, 1],
    [1, 2],
    [3, 1],
    [-1, 1],
    [1, -1],
    [1, 3],
  ])
    assert.ok(!square.contains(x, y));
});

test("the sense of the corners does not matter", () => {
  const corners = [
    [0, 0],
    [4, 1],
    [5, 5],
    [1, 4],
  ];
  const [one, other] = [of(...corners), of(...[...corners].reverse())];
  for (let x = -1; x < 7; x += 0.5)
    for (let y = -1; y < 7; y += 0.5) assert.equal(one.contains(x, y), other.contains(x, y));
});

test("a bay is outside", () => {
  const horseshoe = of([0, 0], [6, 0], [6, 4], [4, 4], [4, 2], [2, 2], [2, 4], [0, 4]);
  assert.deepEqual(horseshoe.spans(3), [
    [0, 2],
    [4, 6],
  ]);
  assert.deepEqual(horseshoe.spans(1), [[0, 6]]);
  assert.ok(!horseshoe.contains(3, 3));
});

test("what a line goes round twice is within, too", () => {
  const turns = Array.from({ length: 5 }, (_, at) => (4 * Math.PI * at) / 5);
  const star = of(...turns.map((angle) => [Math.sin(angle), Math.cos(angle)]));
  assert.ok(star.contains(0, 0));
  assert.ok(star.contains(0, 0.9));
  assert.ok(!star.contains(0, -0.9));
});

test("both halves of an eight are within", () => {
  const eight = of([0, 0], [4, 4], [4, 0], [0, 4]);
  assert.ok(eight.contains(0.5, 2));
  assert.ok(eight.contains(3.5, 2));
  assert.ok(!eight.contains(2, 3.5));
  assert.ok(!eight.contains(2, 0.5));
});

test("a corner at the height asked for is crossed once", () => {
  const diamond = of([0, -1], [1, 0], [0, 1], [-1, 0]);
  assert.deepEqual(diamond.spans(0), [[-1, 1]]);
  assert.deepEqual(diamond.spans(1), []);
  assert.deepEqual(of([0, 0], [4, 2], [0, 4]).spans(2), [[0, 4]]);
});

test("a line, or nothing, contains nothing", () => {
  assert.ok(!of([0, 0], [2, 0]).contains(1, 0));
  assert.ok(!of().contains(0, 0));
});
