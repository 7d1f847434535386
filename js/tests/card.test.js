import assert from "node:assert/strict";
import test from "node:test";
import { cornerBeside, written } from "../src/html_export/card.js";

test("numbers have three digits, and words and gaps are said", () => {
  const numbers = { name: "area", absent: "no value", values: Float32Array.of(123.456, Number.NaN, 0.00012345) };
  assert.deepEqual(
    [0, 1, 2].map((number) => written(numbers, number)),
    ["123", "no value", "0.000123"],
  );
  const words = { name: "class", absent: "in no class", words: ["left", "right"], codes: Int32Array.of(1, -1) };
  assert.deepEqual(
    [0, 1].map((number) => written(words, number)),
    ["right", "in no class"],
  );
});

test("a card lies beside the mouse, on the side where there is room", () => {
  assert.deepEqual(cornerBeside([100, 100], [50, 60], [1000, 800]), [114, 114]);
  assert.deepEqual(cornerBeside([990, 100], [50, 60], [1000, 800]), [926, 114]);
  assert.deepEqual(cornerBeside([100, 790], [50, 60], [1000, 800]), [114, 716]);
  assert.deepEqual(cornerBeside([30, 30], [500, 500], [400, 400]), [0, 0]);
});
