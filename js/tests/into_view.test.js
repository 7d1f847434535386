import assert from "node:assert/strict";
import test from "node:test";
import { scrollBy } from "../src/into_view/scroll.js";

const view = { top: 100, bottom: 500 };

test("what is in view stays where it is", () => {
  assert.equal(scrollBy(view, { top: 100, bottom: 500 }), 0);
});

test("what lies below comes up until its end is in view", () => {
  assert.equal(scrollBy(view, { top: 300, bottom: 620 }), 120);
});

test("of what is higher than the view, the beginning comes into view", () => {
  assert.equal(scrollBy(view, { top: 300, bottom: 900 }), 200);
});

test("what lies above comes down until its beginning is in view", () => {
  assert.equal(scrollBy(view, { top: 40, bottom: 300 }), -60);
});
