import assert from "node:assert/strict";
import test from "node:test";
import { selectionMode } from "../src/shared/selection_mode.js";
import { event } from "./fake_model.js";

for (const [keys, mode] of /** @type {[string[], string][]} */ ([
  [[], "replace"],
  [["shiftKey"], "add"],
  [["ctrlKey"], "subtract"],
  [["altKey"], "subtract"],
  [["metaKey"], "subtract"],
  [["shiftKey", "ctrlKey"], "intersect"],
  [["shiftKey", "altKey"], "intersect"],
  [["shiftKey", "metaKey"], "intersect"],
]))
  test(`with ${keys.join(" and ") || "no key"} held a selection is to ${mode}`, () => {
    const held = Object.fromEntries(keys.map((key) => [key, true]));
    assert.equal(selectionMode(/** @type {any} */ (event("pointerup", held))), mode);
  });
