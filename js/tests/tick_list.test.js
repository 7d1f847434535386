import assert from "node:assert/strict";
import test from "node:test";
import { find, tick, untick } from "../src/tick_list/choice.js";

const NAMES = ["Area", "perimeter", "mean area"];

test("names are found by any part, whatever the case", () => {
  assert.deepEqual(find(NAMES, "AREA"), ["Area", "mean area"]);
  assert.deepEqual(find(NAMES, ""), NAMES);
  assert.deepEqual(find(NAMES, "x"), []);
});

test("ticked names have the order of all names, and each stands once", () => {
  assert.deepEqual(tick(NAMES, ["mean area"], ["Area", "mean area"]), ["Area", "mean area"]);
  assert.deepEqual(tick(NAMES, ["gone"], ["perimeter"]), ["perimeter"]);
});

test("names can be unticked, the others stay", () => {
  assert.deepEqual(untick(NAMES, ["Area", "perimeter"], ["perimeter", "mean area"]), ["Area"]);
});
