import assert from "node:assert/strict";
import test from "node:test";
import { Stroke } from "../src/html_export/stroke.js";

test("a stroke holds what is no further from its path than its radius", () => {
  const stroke = new Stroke(
    [
      [0, 0],
      [10, 0],
      [10, 10],
    ],
    2,
  );
  for (const [x, y, isInside] of /** @type {[number, number, boolean][]} */ ([
    [5, 1.9, true],
    [5, 2.1, false],
    [-1.9, 0, true],
    [-1.5, 1.5, false],
    [11.9, 8, true],
    [10, 11.9, true],
    [7, 5, false],
  ])) {
    assert.equal(stroke.contains(x, y), isInside, `${x}, ${y}`);
    assert.equal(
      stroke.spans(y).some(([left, right]) => left <= x && x < right),
      isInside,
      `${x}, ${y} by spans`,
    );
  }
  assert.deepEqual(stroke.spans(20), []);
  assert.equal(stroke.spans(1).length, 1);
});

test("a stroke that crosses a height twice has two parts there", () => {
  const stroke = new Stroke(
    [
      [0, 10],
      [0, 0],
      [20, 0],
      [20, 10],
    ],
    1,
  );
  const [[left, right], [from, to]] = stroke.spans(5);
  assert.ok([left + 1, right - 1, from - 19, to - 21].every((difference) => Math.abs(difference) < 1e-2));
});

test("a dab is a disc", () => {
  const dab = new Stroke([[3, 3]], 2);
  assert.ok(dab.contains(4.9, 3));
  assert.ok(!dab.contains(5.1, 3));
});
