import assert from "node:assert/strict";
import test from "node:test";
import { Camera } from "../src/map_pane/camera.js";
import { Pointer } from "../src/map_pane/pointer.js";
import { event, FakeModel } from "./fake_model.js";

/** A pointer on a map of 200 x 200 pixels, and what comes of it. */
function pointing(tool = "lasso", axes = 2) {
  const model = new FakeModel({ tool });
  const camera = Object.assign(new Camera(), { width: 200, height: 200 });
  const pane = {
    abort: new AbortController(),
    overlay: /** @type {any} */ (Object.assign(new EventTarget(), { focus() {}, setPointerCapture() {} })),
    model,
    camera,
    points: { axes, frame: 9 },
    nLooks: 0,
    hovered: /** @type {number[]} */ ([]),
    sketched: /** @type {any[]} */ ([]),
    look: () => pane.nLooks++,
    hover: (row) => pane.hovered.push(row),
    nearest: ([x]) => (x < 50 ? 4 : -1),
    sketch: (corners) => pane.sketched.push(corners),
  };
  new Pointer(/** @type {any} */ (pane));
  const act = (name, x = 0, y = 0, more = {}) =>
    pane.overlay[`on${name}`](event(name, { offsetX: x, offsetY: y, ...more }));
  return { act, pane, camera, sent: model.sent };
}

test("a click tells the point, its frame and what becomes of the selection", () => {
  const { act, sent } = pointing();
  for (const [x, keys] of /** @type {[number, object][]} */ ([
    [10, {}],
    [60, { altKey: true }],
  ])) {
    act("pointerdown", x, 10);
    act("pointerup", x + 1, 11, keys);
  }
  assert.deepEqual(sent, [
    { kind: "clicked", row: 4, frame: 9, mode: "replace" },
    { kind: "clicked", row: -1, frame: 9, mode: "subtract" },
  ]);
});

test("a lasso tells places of the map, and how it is turned", () => {
  const { act, sent, camera, pane } = pointing();
  act("pointerdown", 100, 100);
  act("pointermove", 194, 100);
  act("pointermove", 194, 6);
  act("pointerup", 194, 6, { shiftKey: true });
  const corners = [
    [100, 100],
    [194, 100],
    [194, 6],
  ].map((point) => camera.toMap(/** @type {any} */ (point)));
  assert.deepEqual(sent, [
    {
      kind: "drawn",
      corners,
      turn: [
        [1, 0],
        [0, 1],
      ],
      tool: "lasso",
      frame: 9,
      mode: "add",
    },
  ]);
  assert.ok(corners.every(([x, y]) => x >= 0 && y >= -1e-12 && x <= 0.5 && y <= 0.5 + 1e-12));
  assert.equal(pane.sketched.at(-1), null);
});

test("a rectangle tells four corners, and three axes if the map has them", () => {
  const { act, sent, camera } = pointing("rectangle", 3);
  act("pointerdown", 20, 30);
  act("pointerup", 120, 90);
  const corners = [
    [20, 30],
    [120, 30],
    [120, 90],
    [20, 90],
  ].map((point) => camera.toMap(/** @type {any} */ (point)));
  const turn = [
    [1, 0, 0],
    [0, 1, 0],
  ];
  assert.deepEqual(sent, [{ kind: "drawn", corners, turn, tool: "rectangle", frame: 9, mode: "replace" }]);
});

test("a drag with the tool Move moves a flat map and tells nothing", () => {
  const { act, sent, camera, pane } = pointing("move");
  act("pointerdown", 100, 100);
  act("pointermove", 110, 100);
  act("pointerup", 120, 80);
  assert.deepEqual(sent, []);
  assert.equal(pane.nLooks, 2);
  assert.ok(Math.abs(camera.centre[0] + 20 / 188) < 1e-9 && Math.abs(camera.centre[1] + 20 / 188) < 1e-9);
});

test("a drag turns a map of three axes, and with Shift moves it", () => {
  const { act, camera } = pointing("move", 3);
  act("pointerdown", 100, 100);
  act("pointermove", 110, 100);
  assert.deepEqual(camera.centre, [0, 0]);
  assert.ok(camera.turn[0][2] > 0);
  const { turn } = camera;
  act("pointermove", 120, 100, { shiftKey: true });
  assert.ok(camera.centre[0] < 0);
  assert.equal(camera.turn, turn);
});

test("without a button pressed the point under the mouse is told", () => {
  const { act, pane } = pointing();
  act("pointermove", 10, 10);
  act("pointermove", 90, 10);
  act("pointerleave");
  assert.deepEqual(pane.hovered, [4, -1, -1]);
});

test("with the middle button, or the space bar held, a drag moves the map whatever the tool", () => {
  const { act, sent, camera, pane } = pointing();
  const place = camera.toMap([0, 0]);
  act("pointerdown", 0, 0, { button: 1 });
  act("pointermove", 30, 20);
  act("pointerup", 30, 20, { button: 1 });
  pane.overlay.dispatchEvent(event("keydown", { key: " " }));
  act("pointerdown", 30, 20);
  act("pointermove", 40, 50);
  act("pointerup", 40, 50);
  assert.ok(Math.abs(camera.toMap([40, 50])[0] - place[0]) < 1e-9);
  assert.ok(Math.abs(camera.toMap([40, 50])[1] - place[1]) < 1e-9);
  pane.overlay.dispatchEvent(event("keyup", { key: " " }));
  assert.deepEqual(sent, []);
  act("pointerdown", 0, 0);
  act("pointermove", 0, 90);
  act("pointerup", 90, 90);
  assert.equal(/** @type {any} */ (sent[0]).kind, "drawn");
});

test("Escape gives a loop up, and other buttons begin none", () => {
  const { act, sent } = pointing();
  act("pointerdown", 0, 0);
  act("pointermove", 90, 90);
  act("keydown", 0, 0, { key: "Escape" });
  act("pointerup", 90, 0);
  act("pointerdown", 0, 0, { button: 2 });
  act("pointerup", 90, 0, { button: 2 });
  assert.deepEqual(sent, []);
});

test("the wheel zooms at the mouse, and a double click shows everything", () => {
  const { act, camera, pane } = pointing();
  const place = camera.toMap([20, 30]);
  act("wheel", 20, 30, { deltaY: -400 });
  assert.ok(Math.abs(camera.zoom - Math.E) < 1e-9);
  assert.ok(Math.abs(camera.toMap([20, 30])[0] - place[0]) < 1e-9);
  act("dblclick");
  assert.deepEqual(camera.view, new Camera().view);
  assert.equal(pane.nLooks, 2);
});

/** Clicks corners with the tool Polygon. */
function clicking(axes = 2) {
  const all = pointing("polygon", axes);
  const click = (x, y, more = {}) => {
    all.act("pointerdown", x, y, more);
    all.act("pointerup", x, y, more);
  };
  return { ...all, click };
}

for (const [how, close] of /** @type {[string, (all: any) => void][]} */ ([
  ["a click on the first corner", ({ click }) => click(24, 20, { shiftKey: true })],
  ["the right button", ({ click }) => click(180, 180, { button: 2, shiftKey: true })],
  [
    "a double click",
    ({ click, act }) => {
      click(80, 90);
      act("dblclick", 80, 90, { shiftKey: true });
    },
  ],
]))
  test(`a polygon is closed by ${how}, and stays on the map while that moves`, () => {
    const all = clicking();
    const { click, act, sent, camera, pane } = all;
    const corners = [
      [20, 20],
      [80, 20],
      [80, 90],
    ].map((point) => camera.toMap(/** @type {any} */ (point)));
    click(20, 20);
    act("pointermove", 50, 30);
    assert.equal(pane.sketched.at(-1).length, 2);
    click(80, 20);
    click(80, 90);
    act("wheel", 20, 20, { deltaY: -400 });
    act("wheel", 20, 20, { deltaY: 400 });
    assert.deepEqual(sent, []);
    close(all);
    assert.equal(sent.length, 1);
    const { kind, tool, mode, corners: told } = /** @type {any} */ (sent[0]);
    assert.deepEqual([kind, tool, mode], ["drawn", "polygon", "add"]);
    assert.ok(told.flat().every((value, at) => Math.abs(value - corners.flat()[at]) < 1e-9));
    assert.equal(pane.sketched.at(-1), null);
  });

test("a polygon of two corners is none, and Escape discards one", () => {
  const { click, act, sent, pane, camera } = clicking();
  click(20, 20);
  click(80, 20);
  click(90, 90, { button: 2 });
  act("keydown", 0, 0, { key: "Escape" });
  assert.equal(pane.sketched.at(-1), null);
  click(20, 20);
  act("dblclick", 20, 20);
  assert.equal(pane.sketched.at(-1), null);
  assert.equal(camera.zoom, 1);
  assert.deepEqual(sent, []);
});

test("a brush tells its path and radius, and shows where it would paint", () => {
  const { act, sent, camera, pane } = pointing("brush");
  act("pointermove", 30, 40);
  assert.deepEqual(pane.sketched.at(-1), [[30, 40]]);
  act("pointerdown", 30, 40);
  act("pointermove", 60, 40);
  act("pointerup", 60, 40, { altKey: true });
  const { tool, mode, corners, radius } = /** @type {any} */ (sent[0]);
  assert.deepEqual([tool, mode], ["brush", "subtract"]);
  assert.deepEqual(corners, [camera.toMap([30, 40]), camera.toMap([60, 40])]);
  assert.ok(Math.abs(radius * camera.pixels - 20) < 1e-9);
  act("pointerleave");
  assert.equal(pane.sketched.at(-1), null);
});

test("Escape discards a drawing, and only then belongs to it", () => {
  const { act, pane } = pointing("polygon");
  const pointer = new Pointer(/** @type {any} */ (pane));
  assert.equal(pointer.isDrawing, false);
  act("pointerdown", 10, 10);
  assert.equal(pointer.isDrawing, true);
  act("keydown", 0, 0, { key: "Escape" });
  assert.equal(pointer.isDrawing, false);
});
