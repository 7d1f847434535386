import assert from "node:assert/strict";
import test from "node:test";
import { deflateSync } from "node:zlib";
import { TileLoader } from "../src/image_pane/tile_loader.js";
import { FakeModel, imageState, picture } from "./fake_model.js";

const tile = (column) => ({ picture: 0, source: 0, level: 0, frame: 0, plane: 0, row: 0, column });

/** A loader, and a view that misses some tiles. */
function loading(nMissing) {
  const model = new FakeModel(imageState());
  const view = {
    missing: Array.from({ length: nMissing }, (_, column) => tile(column)),
    received: /** @type {any[]} */ ([]),
    receive(got, shape, bytes, error) {
      view.missing = view.missing.filter(({ column }) => column !== got.column);
      view.received.push([got.column, shape, bytes && [...bytes], error]);
    },
  };
  const loader = TileLoader.join(/** @type {any} */ (model), view);
  const asked = () => model.sent.map((message) => message.tile.column);
  return { model, view, loader, asked };
}

const answer = (column, bytes = [1]) => [{ type: "tile", tile: tile(column), shape: [1, 1] }, [Uint8Array.from(bytes)]];

test("four tiles are under way at most, and none twice", async () => {
  const { loader, asked, model, view } = loading(6);
  loader.ask();
  loader.ask();
  assert.deepEqual(asked(), [0, 1, 2, 3]);
  assert.deepEqual(model.sent[0], { type: "tile", tile: tile(0) });
  await loader.receive(.../** @type {[any, any]} */ (answer(2, [7])));
  assert.deepEqual(view.received, [[2, [1, 1], [7], undefined]]);
  assert.deepEqual(asked(), [0, 1, 2, 3, 4]);
});

test("what has left the view is not asked for", async () => {
  const { loader, asked, view } = loading(6);
  loader.ask();
  view.missing = [tile(9)];
  await loader.receive(.../** @type {[any, any]} */ (answer(0)));
  assert.deepEqual(asked(), [0, 1, 2, 3, 9]);
});

test("a question without an answer is asked again after a minute", (context) => {
  let now = 0;
  context.mock.method(performance, "now", () => now);
  const { loader, asked } = loading(1);
  loader.ask();
  now = 60_000;
  loader.ask();
  assert.deepEqual(asked(), [0]);
  now = 60_001;
  loader.ask();
  assert.deepEqual(asked(), [0, 0]);
});

test("compressed tiles are inflated, and errors are passed on", async () => {
  const { loader, view } = loading(2);
  const packed = [new Uint8Array(deflateSync(Uint8Array.of(4, 5)))];
  await loader.receive({ type: "tile", tile: tile(0), shape: [1, 2], packed: true }, packed);
  await loader.receive({ type: "tile", tile: tile(1), error: "gone" }, []);
  assert.deepEqual(view.received, [
    [0, [1, 2], [4, 5], undefined],
    [1, [0, 0], null, "gone"],
  ]);
});

test("a tile is not shown if the cells get other numbers while it is inflated", async () => {
  const { loader, view, model, asked } = loading(1);
  loader.ask();
  const packed = [new Uint8Array(deflateSync(Uint8Array.of(4, 5)))];
  const received = loader.receive({ type: "tile", tile: tile(0), shape: [1, 2], packed: true }, packed);
  model.set("_pictures", [picture({ version: 1 })]);
  await received;
  assert.deepEqual(view.received, []);
  assert.deepEqual(asked(), [0, 0]);
});

test("the views of a model share a loader, and the last one ends it", () => {
  const { model, view, loader } = loading(0);
  const other = { missing: [tile(5)], receive() {} };
  assert.equal(TileLoader.join(/** @type {any} */ (model), other), loader);
  loader.leave(view);
  assert.equal(model.listeners.get("msg:custom")?.size, 1);
  loader.leave(other);
  assert.equal(model.listeners.get("msg:custom")?.size, 0);
  assert.notEqual(TileLoader.join(/** @type {any} */ (model), view), loader);
});
