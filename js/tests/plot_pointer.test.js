import assert from "node:assert/strict";
import test from "node:test";
import { Axes } from "../src/feature_plot/axes.js";
import { Pointer } from "../src/feature_plot/pointer.js";
import { event, FakeModel } from "./fake_model.js";

globalThis.requestAnimationFrame = () => 1;
globalThis.cancelAnimationFrame = () => {};

/** A pointer on a plot whose inner part has 100 x 100 pixels, from 0 to 10 along both axes. */
function pointing(tool, more = {}) {
  const model = new FakeModel({ tool });
  const axes = Object.assign(new Axes(), { width: 168, height: 144, limits: [0, 10, 0, 10] });
  const plot = {
    overlay: /** @type {any} */ ({ style: {}, focus() {}, setPointerCapture() {} }),
    model,
    axes,
    isHistogram: false,
    current: undefined,
    looked: /** @type {any[]} */ ([]),
    sketched: /** @type {any[]} */ ([]),
    look: (limits) => plot.looked.push(limits),
    sketch: (paths) => plot.sketched.push(paths),
    ...more,
  };
  new Pointer(/** @type {any} */ (plot));
  /** At a position along the axes. */
  const act = (name, x = 0, y = 0, keys = {}) =>
    plot.overlay[`on${name}`](event(name, { offsetX: 58 + 10 * x, offsetY: 106 - 10 * y, ...keys }));
  return { act, plot, sent: model.sent };
}

test("a rectangle is told as positions along the axes, with what becomes of the selection", () => {
  const { act, plot, sent } = pointing("rectangle");
  act("pointerdown", 2, 3);
  act("pointermove", 4, 5);
  assert.deepEqual(plot.sketched.at(-1), [
    [
      [2, 3],
      [4, 3],
      [4, 5],
      [2, 5],
    ],
  ]);
  act("pointerup", 6, 5, { shiftKey: true });
  assert.deepEqual(sent, [
    {
      kind: "drawn",
      tool: "rectangle",
      points: [
        [2, 3],
        [4, 5],
        [6, 5],
      ],
      mode: "add",
    },
  ]);
  assert.deepEqual(plot.sketched.at(-1), []);
});

test("a click is told with its reach, and Escape gives up what is drawn", () => {
  const { act, sent } = pointing("lasso");
  act("pointerdown", 2, 3);
  act("pointerup", 2.1, 3);
  assert.deepEqual(sent[0], { kind: "clicked", point: [2, 3], reach: [0.8, 0.8], mode: "replace" });
  act("pointerdown", 2, 3);
  act("pointermove", 4, 5);
  act("keydown", 0, 0, { key: "Escape" });
  act("pointerup", 4, 5);
  assert.equal(sent.length, 1);
});

test("a polygon is clicked corner by corner, and closed in four ways", () => {
  const corners = [
    [2, 3],
    [6, 3],
    [4, 7],
  ];
  const closing = {
    dblclick: (act) => act("dblclick", 4, 7),
    Enter: (act) => act("keydown", 0, 0, { key: "Enter" }),
    "right button": (act) => act("pointerdown", 9, 9, { button: 2 }),
    "first corner": (act) => act("pointerdown", 2.3, 3),
  };
  for (const close of Object.values(closing)) {
    const { act, plot, sent } = pointing("polygon");
    for (const [x, y] of corners) {
      act("pointerdown", x, y);
      act("pointerup", x, y);
    }
    assert.deepEqual(sent, []);
    act("pointermove", 5, 5);
    assert.deepEqual(plot.sketched.at(-1), [[...corners, [5, 5]]]);
    close(act);
    assert.deepEqual(sent, [{ kind: "drawn", tool: "polygon", points: corners, mode: "replace" }]);
    assert.deepEqual(plot.sketched.at(-1), []);
    act("dblclick", 4, 7);
    assert.deepEqual(plot.looked, [null]);
  }
});

test("a polygon stays where it is while the plot is zoomed, and Escape or two corners give it up", () => {
  const { act, plot, sent } = pointing("polygon");
  act("pointerdown", 2, 3);
  act("pointerdown", 6, 3);
  act("wheel", 5, 5, { deltaY: -100 });
  assert.deepEqual(plot.sketched.at(-1), [
    [
      [2, 3],
      [6, 3],
    ],
  ]);
  act("dblclick", 6, 3);
  act("pointerdown", 2, 3);
  act("keydown", 0, 0, { key: "Escape" });
  act("keydown", 0, 0, { key: "Enter" });
  assert.deepEqual(sent, []);
  assert.deepEqual(plot.sketched.at(-1), []);
});

test("the tool Move moves the plot by what was dragged, but no counts", () => {
  const scatter = pointing("move");
  scatter.act("pointerdown", 2, 3);
  scatter.act("pointermove", 3, 5);
  assert.deepEqual(scatter.plot.looked.at(-1), [-1, 9, -2, 8]);
  scatter.act("pointerup", 3, 5);
  assert.deepEqual(scatter.sent, []);
  const histogram = pointing("move", { isHistogram: true });
  histogram.act("pointerdown", 2, 3);
  histogram.act("pointermove", 3, 5);
  assert.deepEqual(histogram.plot.looked.at(-1), [-1, 9, 0, 10]);
});

test("a line is dragged with the tool that has drawn it, and told once it is let go", () => {
  const path = [
    [5, 0],
    [5, 10],
  ];
  const current = { paths: [path], closed: false, handles: [[5, 5]], name: "", colour: "#fff", current: true };
  const { act, sent } = pointing("threshold", { current });
  act("pointerdown", 5.2, 2);
  act("pointermove", 6, 2);
  act("pointerup", 7.2, 2);
  assert.deepEqual(
    sent.map(({ kind }) => kind),
    ["dragged", "dropped"],
  );
  assert.deepEqual(sent[0].by.map(Math.round), [2, 0]);
  act("pointerdown", 1, 2);
  act("pointerup", 1, 2);
  assert.deepEqual(sent.at(-1).kind, "drawn");
});
