import assert from "node:assert/strict";
import test from "node:test";
import { Pointer } from "../src/image_pane/pointer.js";
import { event, fakeTimers } from "./fake_model.js";

class FakeCanvas extends EventTarget {
  focus() {}
  setPointerCapture() {}

  getBoundingClientRect() {
    return { left: 100, top: 50, width: 400, height: 300 };
  }
}

/** Where an image lies that is seen at half its size. */
const PLACES = {
  toPicture: (x, y) => ({ row: 2 * y, column: 2 * x }),
  toCanvas: (row, column) => [column / 2, row / 2],
};

/** A pointer on a canvas whose corner is at (100, 50), and what comes of it. */
function pointing(tool = "lasso") {
  const canvas = new FakeCanvas();
  /** @type {any[]} */
  const done = [];
  const note =
    (name) =>
    (...what) =>
      done.push([name, ...what]);
  const scene = { width: 400, height: 300, pan: note("pan"), zoomAt: note("zoomAt"), look: note("look"), ...PLACES };
  const finish = ({ tool, mode, points }) => done.push(["finish", tool, mode, points]);
  const view = { tool, scene, hover: note("hover"), click: note("click"), finish };
  /** @type {any[]} */
  const sketched = [];
  const abort = new AbortController();
  new Pointer(
    /** @type {any} */ (view),
    /** @type {any} */ (canvas),
    (corners) => sketched.push(corners),
    abort.signal,
  );
  const act = (name, x = 0, y = 0, more = {}) => {
    const made = event(name, { clientX: 100 + x, clientY: 50 + y, ...more });
    canvas.dispatchEvent(made);
    return made;
  };
  return { act, done, sketched, abort, scene, canvas };
}

test("a press that is let go of at once is a click", () => {
  const { act, done } = pointing();
  act("pointerdown", 30, 40, { shiftKey: true });
  act("pointermove", 31, 41);
  act("pointerup", 31, 41);
  assert.deepEqual(done, [["click", [30, 40], "add"]]);
});

test("the second click of a double click says nothing new", () => {
  const { act, done } = pointing("move");
  for (const timeStamp of [0, 300, 1000]) {
    act("pointerdown", 30, 40);
    act("pointerup", 30, 40, { timeStamp });
  }
  act("dblclick", 30, 40);
  assert.deepEqual(done, [
    ["click", [30, 40], "replace"],
    ["click", [30, 40], "replace"],
    ["look", { zoom: null }],
  ]);
});

test("with the space bar held, a drag moves the image whatever the tool", () => {
  const { act, done } = pointing();
  act("keydown", 0, 0, { key: " " });
  act("pointerdown", 0, 0);
  act("pointermove", 30, 20);
  act("pointerup", 30, 20);
  assert.deepEqual(done[0], ["pan", 30, 20]);
  assert.ok(done.every(([name]) => name === "pan"));
});

test("a lasso has a corner every few pixels, and is told with the keys that were held at first", () => {
  const { act, done, sketched } = pointing();
  act("pointerdown", 0, 0, { ctrlKey: true });
  for (const [x, y] of [
    [10, 0],
    [11, 0],
    [10, 10],
  ])
    act("pointermove", x, y);
  act("pointerup", 0, 10);
  assert.deepEqual(done, [
    [
      "finish",
      "lasso",
      "subtract",
      [
        [0, 0],
        [10, 0],
        [10, 10],
        [0, 10],
      ],
    ],
  ]);
  assert.equal(sketched.at(-1), null);
  assert.equal(sketched[0].length > 1, true);
});

for (const [how, close] of /** @type {[string, (act: any) => void][]} */ ([
  ["a click on the first corner", (act) => act("pointerdown", 3, 3, { shiftKey: true })],
  ["the right button", (act) => act("pointerdown", 300, 3, { button: 2, shiftKey: true })],
  ["a double click", (act) => act("dblclick", 40, 50, { shiftKey: true })],
]))
  test(`a polygon is closed by ${how}`, () => {
    const { act, done, sketched } = pointing("polygon");
    const corners = [
      [0, 0],
      [40, 0],
      [40, 50],
    ];
    for (const [x, y] of corners) {
      act("pointerdown", x, y);
      act("pointerup", x, y);
    }
    act("pointermove", 20, 20);
    assert.deepEqual(sketched.at(-1), [...corners, [20, 20]]);
    assert.deepEqual(done, []);
    close(act);
    assert.deepEqual(done, [["finish", "polygon", "add", corners]]);
    assert.equal(sketched.at(-1), null);
    assert.ok(act("contextmenu").defaultPrevented);
  });

test("a polygon is given up by Escape, or a double click before it has three corners", () => {
  const { act, done, sketched } = pointing("polygon");
  for (const give of [() => act("keydown", 0, 0, { key: "Escape" }), () => act("dblclick", 40, 0)]) {
    act("pointerdown", 0, 0);
    act("pointerdown", 40, 0);
    give();
    assert.equal(sketched.at(-1), null);
  }
  assert.deepEqual(done, []);
});

test("a brush tells its path, even if that is a line, and shows where it would paint", () => {
  const { act, done, sketched } = pointing("brush");
  act("pointermove", 5, 6);
  assert.deepEqual(sketched.at(-1), [[5, 6]]);
  act("pointerdown", 0, 0);
  act("pointerup", 10, 0);
  const path = [
    [0, 0],
    [10, 0],
  ];
  assert.deepEqual(done, [["finish", "brush", "replace", path]]);
  act("pointerleave");
  assert.equal(sketched.at(-1), null);
});

test("a line is no loop", () => {
  const { act, done } = pointing();
  act("pointerdown");
  act("pointerup", 10, 0);
  assert.deepEqual(done, []);
});

test("a rectangle has four corners, also if the browser tells of no move", () => {
  const { act, done } = pointing("rectangle");
  act("pointerdown", 50, 60);
  act("pointerup", 10, 20);
  assert.deepEqual(done, [
    [
      "finish",
      "rectangle",
      "replace",
      [
        [50, 60],
        [10, 60],
        [10, 20],
        [50, 20],
      ],
    ],
  ]);
});

test("a drag moves the picture with its tool, and with the middle button whatever the tool", () => {
  for (const [tool, button] of /** @type {[string, number][]} */ ([
    ["move", 0],
    ["lasso", 1],
  ])) {
    const { act, done } = pointing(tool);
    act("pointerdown", 0, 0, { button });
    act("pointermove", 10, 5, { button });
    act("pointerup", 12, 5, { button });
    assert.deepEqual(done, [
      ["pan", 10, 5],
      ["pan", 2, 0],
    ]);
  }
});

test("the right button does nothing", () => {
  const { act, done } = pointing();
  act("pointerdown", 0, 0, { button: 2 });
  act("pointerup", 0, 0, { button: 2 });
  assert.deepEqual(done, []);
});

for (const give of [(act) => act("keydown", 0, 0, { key: "Escape" }), (act) => act("pointercancel")])
  test(`a loop is given up: ${give}`, () => {
    const { act, done, sketched } = pointing();
    act("pointerdown");
    act("pointermove", 10, 10);
    act("pointermove", 20, 0);
    give(act);
    act("pointerup", 30, 30);
    assert.deepEqual(done, []);
    assert.equal(sketched.at(-1), null);
  });

test("the wheel zooms at the mouse, by lines or by pixels, in bounds", () => {
  const { act, done } = pointing();
  assert.ok(act("wheel", 7, 8, { deltaY: -40, deltaMode: 0 }).defaultPrevented);
  act("wheel", 7, 8, { deltaY: 2, deltaMode: 1 });
  act("wheel", 7, 8, { deltaY: 1e6, deltaMode: 0 });
  const times = [Math.exp(0.1), Math.exp(-0.1), Math.exp(-0.5)];
  assert.deepEqual(
    done,
    times.map((factor) => ["zoomAt", 7, 8, factor]),
  );
});

test("a page that is scaled is accounted for", () => {
  const { act, done, scene } = pointing();
  Object.assign(scene, { width: 800, height: 150 });
  act("wheel", 100, 100, { deltaY: 0, deltaMode: 0 });
  assert.deepEqual(done, [["zoomAt", 200, 50, 1]]);
});

test("keys move and zoom, but not with others that the notebook uses", () => {
  const { act, done } = pointing();
  for (const key of ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "+", "-", "0"])
    assert.ok(act("keydown", 0, 0, { key }).defaultPrevented);
  assert.deepEqual(done, [
    ["pan", 60, 0],
    ["pan", -60, 0],
    ["pan", 0, 60],
    ["pan", 0, -60],
    ["zoomAt", 200, 150, 1.5],
    ["zoomAt", 200, 150, 1 / 1.5],
    ["look", { zoom: null }],
  ]);
  assert.ok(!act("keydown", 0, 0, { key: "0", ctrlKey: true }).defaultPrevented);
  assert.ok(!act("keydown", 0, 0, { key: "a" }).defaultPrevented);
  assert.equal(done.length, 7);
});

test("hovering looks from time to time, and never misses the last place", (context) => {
  const tick = fakeTimers(context);
  const { act, done } = pointing();
  act("pointermove", 1, 1);
  act("pointermove", 2, 2);
  tick(60);
  assert.deepEqual(done, [["hover", [2, 2]]]);
  act("pointerleave");
  tick(60);
  assert.deepEqual(done[1], ["hover", null]);
});

test("a pane that is closed hears nothing any more", (context) => {
  const tick = fakeTimers(context);
  const { act, done, abort } = pointing();
  act("pointermove", 1, 1);
  abort.abort();
  act("pointerdown");
  act("pointerup");
  tick(1000);
  assert.deepEqual(done, []);
});
