import assert from "node:assert/strict";
import test from "node:test";
import { connect } from "../src/shared/connection.js";
import { FakeModel } from "./fake_model.js";

function fakeElement() {
  const element = { notes: /** @type {any[]} */ ([]), prepend: (note) => element.notes.push(note) };
  return /** @type {any} */ (element);
}

test.beforeEach(() => {
  const createElement = () => ({ attributes: {}, style: {}, setAttribute() {} });
  globalThis.document = /** @type {any} */ ({ createElement });
});

test("a connection passes everything on", () => {
  const model = new FakeModel({ size: 1 });
  const connection = connect(/** @type {any} */ (model), fakeElement());
  let nHeard = 0;
  const listener = () => nHeard++;
  connection.on("change:size", listener);
  connection.set("size", 2);
  connection.off("change:size", listener);
  connection.set("size", 3);
  connection.send({ kind: "clicked" });
  connection.save_changes();
  assert.deepEqual([connection.get("size"), nHeard, model.sent, model.nSaved], [3, 1, [{ kind: "clicked" }], 1]);
});

test("a kernel that is gone is said once in every view, and asked for nothing more", () => {
  let nTried = 0;
  const model = new FakeModel({});
  model.send = () => {
    nTried++;
    throw new Error("the comm is closed");
  };
  const elements = [fakeElement(), fakeElement()];
  const [one, other] = elements.map((element) => connect(/** @type {any} */ (model), element));
  assert.equal(one, other);
  one.send({});
  other.send({});
  one.save_changes();
  assert.equal(nTried, 1);
  assert.equal(model.nSaved, 0);
  for (const { notes } of elements) {
    assert.equal(notes.length, 1);
    assert.match(notes[0].textContent, /kernel has stopped or was restarted/);
  }
});
