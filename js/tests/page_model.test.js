import assert from "node:assert/strict";
import test from "node:test";
import { PageModel } from "../src/html_export/page_model.js";

test("those who listen to a trait are told, as long as they listen", () => {
  const model = new PageModel({ size: 1 }, () => {});
  /** @type {number[]} */
  const heard = [];
  const listener = () => heard.push(model.get("size"));
  model.set("size", 2);
  model.on("change:size", listener);
  model.set("size", 3);
  model.off("change:size", listener);
  model.off("change:other", listener);
  model.set("size", 4);
  assert.deepEqual(heard, [3]);
});

test("no answer comes before the pane has finished what it does", async () => {
  /** @type {string[]} */
  const order = [];
  const model = new PageModel({}, (message) => order.push(message));
  model.send("answer");
  order.push("pane");
  await Promise.resolve();
  assert.deepEqual(order, ["pane", "answer"]);
});

test("messages come with their buffers", () => {
  const model = new PageModel({}, () => {});
  /** @type {any[]} */
  const heard = [];
  model.on("msg:custom", (...what) => heard.push(what));
  model.receive({ type: "tile" }, [Uint8Array.of(1)]);
  assert.deepEqual(heard, [[{ type: "tile" }, [Uint8Array.of(1)]]]);
});
