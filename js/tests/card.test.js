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

test("whole numbers are whole, as in Python, and large ones do not look exact", () => {
  const values = Float64Array.of(12345, -999999, 0, 1234567, 1e6, 12345.5, 1e39, 0.00001);
  assert.deepEqual(
    [...values.keys()].map((number) => written({ name: "count", absent: "", values }, number)),
    ["12345", "-999999", "0", "1.23e+6", "1e+6", "12300", "1e+39", "0.00001"],
  );
});

test("a card lies beside the mouse, on the side where there is room", () => {
  assert.deepEqual(cornerBeside([100, 100], [50, 60], [1000, 800]), [114, 114]);
  assert.deepEqual(cornerBeside([990, 100], [50, 60], [1000, 800]), [926, 114]);
  assert.deepEqual(cornerBeside([100, 790], [50, 60], [1000, 800]), [114, 716]);
  assert.deepEqual(cornerBeside([30, 30], [500, 500], [400, 400]), [0, 0]);
});
