import assert from "node:assert/strict";
import test from "node:test";
import { deflateSync } from "node:zlib";
import { LinkedImages } from "../src/html_export/linked_images.js";
import { LinkedMap } from "../src/html_export/linked_map.js";
import { Selection } from "../src/html_export/selection.js";
import { packBits } from "../src/shared/bytes.js";

const chosen = (selection) => [...selection.flags.keys()].filter((number) => selection.flags[number]);
const settled = () => new Promise((done) => setImmediate(done));
/** The cells that are selected next. */
const nextChosen = (selection) => new Promise((done) => selection.views.push(() => done(chosen(selection))));

/** Four points, of the cells 10 to 13, of which the last is hidden. */
function mapped(places, axes) {
  const selection = new Selection(20);
  /** @type {any[]} */
  const shown = [];
  const state = {
    places: new Uint8Array(Float32Array.from(places.flat()).buffer),
    axes,
    hidden: packBits(Uint8Array.of(0, 0, 0, 1)),
  };
  const data = { numbers: Int32Array.of(10, 11, 12, 13), state };
  const map = new LinkedMap(/** @type {any} */ (data), selection, { show: (number) => shown.push(number) });
  return { map, selection, shown };
}

const AROUND = [
  [-0.1, -0.1],
  [0.3, -0.1],
  [0.3, 0.3],
  [-0.1, 0.3],
];

test("a loop on a map selects the cells that are shown within", async () => {
  const { map, selection } = mapped(
    [
      [0, 0],
      [0.2, 0.2],
      [0.4, 0],
      [0.1, 0.1],
    ],
    2,
  );
  map.model.send(
    /** @type {any} */ ({
      kind: "drawn",
      corners: AROUND,
      turn: [
        [1, 0],
        [0, 1],
      ],
      mode: "replace",
    }),
  );
  assert.deepEqual(await nextChosen(selection), [10, 11]);
});

test("a loop on a map that is turned goes round what is seen", async () => {
  const { map, selection } = mapped(
    [
      [0, 0, 0.9],
      [0.9, 0, 0],
      [0.9, 0.2, 0.2],
      [0, 0, 0],
    ],
    3,
  );
  map.model.send(
    /** @type {any} */ ({
      kind: "drawn",
      corners: AROUND,
      turn: [
        [0, 0, 1],
        [0, 1, 0],
      ],
      mode: "replace",
    }),
  );
  assert.deepEqual(await nextChosen(selection), [11, 12]);
});

test("clicks and the mouse over a map mean cells, not rows", async () => {
  const { map, selection, shown } = mapped(
    [
      [0, 0],
      [0, 0],
      [0, 0],
      [0, 0],
    ],
    2,
  );
  map.model.send({ kind: "hovered", row: 2, frame: 1 });
  map.model.send({ kind: "hovered", row: -1, frame: 1 });
  map.model.send({ kind: "clicked", row: 1, frame: 1, mode: "replace" });
  map.model.send({ kind: "shown", frame: 1 });
  await settled();
  assert.deepEqual(shown, [12, null]);
  assert.deepEqual(chosen(selection), [11]);
  assert.deepEqual([map.model.get("selected"), map.model.get("marks")], [Uint8Array.of(0b01000000), 1]);
  selection.choose([0]);
  assert.deepEqual([map.model.get("selected"), map.model.get("marks")], [new Uint8Array(), 2]);
});

/** One picture of 4 x 8 pixels at half of its resolution, in two tiles. */
function imaged(left, right) {
  const selection = new Selection(3);
  /** @type {any[]} */
  const shown = [];
  const tile = (rows) => ({
    type: "u4",
    packed: deflateSync(new Uint8Array(Uint32Array.from(rows.flat()).buffer)).toString("base64"),
    shape: [rows.length, rows[0].length],
  });
  const data = {
    state: { _pictures: [{ factors: [2], side: 2 }] },
    tiles: { "0,-1,0,0,0,0,0": tile(left), "0,-1,0,0,0,0,1": tile(right) },
  };
  const images = new LinkedImages(/** @type {any} */ (data), selection, { show: (number) => shown.push(number) });
  return { images, selection, shown };
}

const UNKNOWN = 0xffffffff;
const drawn = (corners) =>
  /** @type {any} */ ({ type: "drawn", picture: 0, frame: 0, plane: 0, tool: "lasso", mode: "replace", corners });
const rectangle = (top, left, bottom, right) => [
  [top, left],
  [top, right],
  [bottom, right],
  [bottom, left],
];

test("a loop on an image selects the cells of which half the pixels lie within, over all tiles", async () => {
  const { images, selection } = imaged(
    [
      [1, 2],
      [1, 2],
    ],
    [
      [2, 3],
      [2, UNKNOWN],
    ],
  );
  // The middles of the columns are 0.5, 2.5, 4.5 and 6.5 of the highest resolution.
  images.model.send(drawn(rectangle(-1, -1, 4, 3)));
  assert.deepEqual(await nextChosen(selection), [0, 1]);
  images.model.send(drawn(rectangle(-1, 1, 2, 3)));
  assert.deepEqual(await nextChosen(selection), []); // a quarter of the second is too little
  images.model.send(drawn(rectangle(-1, 3, 9, 9)));
  assert.deepEqual(await nextChosen(selection), [1, 2]);
});

test("tiles are sent compressed as they lie in the page", async () => {
  const { images } = imaged(
    [
      [1, 2],
      [1, 2],
    ],
    [
      [2, 3],
      [2, 0],
    ],
  );
  /** @type {any[]} */
  const heard = [];
  images.model.on("msg:custom", (answer, buffers) => heard.push([answer, buffers]));
  const tile = { picture: 0, source: -1, level: 0, frame: 0, plane: 0, row: 0, column: 1 };
  images.model.send({ type: "tile", tile });
  await settled();
  const [[answer, [bytes]]] = heard;
  assert.deepEqual(answer, { type: "tile", tile, shape: [2, 2], packed: true });
  assert.deepEqual(Buffer.from(bytes).toString("base64"), images.tiles["0,-1,0,0,0,0,1"].packed);
});

test("clicks and the mouse over an image mean cells", async () => {
  const { images, selection, shown } = imaged(
    [
      [1, 2],
      [1, 2],
    ],
    [
      [2, 3],
      [2, 0],
    ],
  );
  images.model.send({ type: "hover", number: 2 });
  images.model.send({ type: "click", number: 1, mode: "replace" });
  await settled();
  assert.deepEqual(shown, [2]);
  assert.deepEqual(images.model.get("_selected"), Uint8Array.of(0b01000000));
  assert.deepEqual(chosen(selection), [1]);
});
