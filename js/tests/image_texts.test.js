import assert from "node:assert/strict";
import test from "node:test";
import { withLimit } from "../src/image_pane/channel_list.js";
import { fromHex, shortNumber, toHex } from "../src/image_pane/formats.js";
import { scaleOf } from "../src/image_pane/scale_bar.js";

test("colours are written as the browser writes them", () => {
  assert.equal(toHex([1, 0, 0.5]), "#ff0080");
  assert.deepEqual(fromHex("#ff0033"), [1, 0, 0.2]);
  for (const text of ["#000000", "#0a0b0c", "#ffdd33"]) assert.equal(toHex(fromHex(text)), text);
});

test("numbers have four digits at most", () => {
  assert.deepEqual([1234.56, 0.123456, 1e6, 5].map(shortNumber), ["1235", "0.1235", "1000000", "5"]);
});

test("the scale bar is the longest round length that has room", () => {
  assert.deepEqual(scaleOf(0.5, "um", 10, 800), { length: 100, text: "5 µm" });
  assert.deepEqual(scaleOf(20, "nm", 10, 800), { length: 100, text: "200 nm" });
  assert.deepEqual(scaleOf(1, "", 1, 80), { length: 20, text: "20 px" });
  assert.deepEqual(scaleOf(1, "micron", 1000, 800), { length: 100, text: "0.1 µm" });
  for (const zoom of [0.013, 0.7, 3, 41]) {
    const { length } = scaleOf(0.3, "um", zoom, 800);
    assert.ok(length <= 160 && length > 160 / 2.5, String(length));
  }
});

test("the darkest value stays below the brightest", () => {
  assert.deepEqual(withLimit([0, 100], 0, 50, 1), [50, 100]);
  assert.deepEqual(withLimit([0, 100], 1, 50, 1), [0, 50]);
  assert.deepEqual(withLimit([0, 100], 0, 100, 1), [100, 101]);
  assert.deepEqual(withLimit([40, 100], 1, 30, 0.5), [29.5, 30]);
});
