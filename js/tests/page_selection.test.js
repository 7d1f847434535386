import assert from "node:assert/strict";
import test from "node:test";
import { Selection } from "../src/html_export/selection.js";

const chosen = (selection) => [...selection.flags.keys()].filter((number) => selection.flags[number]);

test("cells replace, join, leave and keep the selection", () => {
  const selection = new Selection(6);
  for (const [numbers, mode, expected] of /** @type {[number[], any, number[]][]} */ ([
    [[1, 2, 3], "replace", [1, 2, 3]],
    [[3, 4], "add", [1, 2, 3, 4]],
    [[2, 5], "subtract", [1, 3, 4]],
    [[1, 4, 5], "intersect", [1, 4]],
    [[0], "replace", [0]],
  ])) {
    selection.choose(numbers, mode);
    assert.deepEqual(chosen(selection), expected);
    assert.equal(selection.count, expected.length);
  }
});

test("a click beside all cells selects none, unless a key is held", () => {
  const selection = new Selection(3);
  selection.choose([0, 1]);
  for (const mode of /** @type {const} */ (["add", "subtract", "intersect"])) selection.pick(null, mode);
  assert.deepEqual(chosen(selection), [0, 1]);
  selection.pick(2, "add");
  assert.deepEqual(chosen(selection), [0, 1, 2]);
  selection.pick(null, "replace");
  assert.deepEqual(chosen(selection), []);
});

test("all views are told of a selection", () => {
  const selection = new Selection(3);
  /** @type {number[][]} */
  const told = [];
  selection.views.push(
    (flags) => told.push([...flags]),
    (flags) => told.push([...flags]),
  );
  selection.choose([2]);
  assert.deepEqual(told, [
    [0, 0, 1],
    [0, 0, 1],
  ]);
});
