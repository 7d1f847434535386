import assert from "node:assert/strict";
import test from "node:test";
import { boxOf } from "../src/image_pane/renderer.js";
import { Scene } from "../src/image_pane/scene.js";
import { FakeModel, fakeTimers, imageState, LOOK, picture } from "./fake_model.js";

function sceneOf(change = {}) {
  const model = new FakeModel(imageState(change));
  const scene = new Scene(/** @type {any} */ (model));
  Object.assign(scene, { width: 800, height: 300 });
  return { model, scene };
}

const CLOSE = { row: 400, column: 700, zoom: 4, picture: 0, frame: 0, plane: 0 };

function assertClose(found, expected) {
  for (const [at, value] of expected.entries()) assert.ok(Math.abs(found[at] - value) < 1e-9, `${found} ${expected}`);
}

test("all of a picture fits the canvas, along its longer side", () => {
  const { scene } = sceneOf();
  assert.deepEqual(scene.camera, { row: 499.5, column: 999.5, zoom: 0.3 });
  scene.width = 400;
  assert.equal(scene.camera.zoom, 0.2);
  Object.assign(scene, { width: 1e6, height: 1e6 });
  assert.equal(scene.camera.zoom, 64);
});

test("places and points are each other's inverse", () => {
  for (const view of [undefined, CLOSE]) {
    const { scene } = sceneOf(view && { _view: view });
    for (const [x, y] of [
      [0, 0],
      [800, 300],
      [123, 45],
    ]) {
      const { row, column } = scene.toPicture(x, y);
      assertClose(scene.toCanvas(row, column), [x, y]);
    }
  }
});

test("the pixel looked at is in the middle, and a pixel is as large as the zoom", () => {
  const { scene } = sceneOf({ _view: CLOSE });
  assert.deepEqual(scene.toCanvas(400, 700), [400, 150]);
  assert.deepEqual(scene.toCanvas(401, 702), [408, 154]);
});

test("edges of pixels are places between whole numbers", () => {
  const { scene } = sceneOf({ _view: CLOSE });
  // 200 x 75 pixels are seen, about the middle of pixel (400, 700).
  assertClose(boxOf([400.5 - 37.5, 700.5 - 100, 400.5 + 37.5, 700.5 + 100], scene), [-1, 1, 1, -1]);
});

test("zooming leaves the place under the mouse where it is", () => {
  const { scene } = sceneOf({ _view: CLOSE });
  const { row, column } = scene.toPicture(100, 250);
  scene.zoomAt(100, 250, 1.7);
  assert.ok(Math.abs(scene.camera.zoom - 6.8) < 1e-9);
  assertClose(scene.toCanvas(row, column), [100, 250]);
});

test("the zoom has limits", () => {
  const { scene } = sceneOf({ _view: CLOSE });
  scene.zoomAt(0, 0, 1e9);
  assert.equal(scene.camera.zoom, 64);
  scene.zoomAt(0, 0, 1e-9);
  assert.equal(scene.camera.zoom, 0.15); // half of what shows everything
});

test("panning moves by pixels of the screen, and never leaves the picture", () => {
  const { scene } = sceneOf({ _view: CLOSE });
  scene.pan(40, -20);
  assert.deepEqual(scene.camera, { row: 405, column: 690, zoom: 4 });
  scene.pan(1e6, 1e6);
  assert.deepEqual(scene.camera, { row: 0, column: 0, zoom: 4 });
  scene.pan(-1e6, -1e6);
  assert.deepEqual(scene.camera, { row: 999, column: 1999, zoom: 4 });
});

test("labels and the channels switched on are drawn", () => {
  assert.deepEqual(sceneOf().scene.sources, [-1, 0]);
  assert.deepEqual(sceneOf({ _pictures: [picture({ labels: false })] }).scene.sources, [0]);
});

test("another picture of the same size is seen at the same place", () => {
  const pictures = [picture({ frames: 9, planes: 5 }), picture({ frames: 3 }), picture({ size: [10, 10] })];
  const { scene } = sceneOf({
    _pictures: pictures,
    _looks: pictures.map(() => [LOOK]),
    _view: { ...CLOSE, frame: 7, plane: 4 },
  });
  scene.choosePicture(1);
  assert.deepEqual(scene.view, { ...CLOSE, picture: 1, frame: 2, plane: 0 });
  scene.choosePicture(2);
  assert.deepEqual(scene.view, { ...CLOSE, picture: 2, frame: 0, plane: 0, zoom: null });
});

test("one channel of one picture is adjusted", () => {
  const { scene, model } = sceneOf({
    _pictures: [picture(), picture()],
    _looks: [
      [LOOK, LOOK],
      [LOOK, LOOK],
    ],
  });
  scene.adjustChannel(1, { limits: [5, 6] });
  assert.deepEqual(model.get("_looks"), [
    [LOOK, { ...LOOK, limits: [5, 6] }],
    [LOOK, LOOK],
  ]);
});

test("Python is told a little later, once, and at once before a message", (context) => {
  const tick = fakeTimers(context);
  const { scene, model } = sceneOf();
  scene.look({ zoom: 2 });
  scene.look({ zoom: 3 });
  assert.equal(model.nSaved, 0);
  tick(150);
  assert.equal(model.nSaved, 1);
  scene.save();
  assert.equal(model.nSaved, 1);
  scene.look({ zoom: 4 });
  scene.save();
  tick(1000);
  assert.equal(model.nSaved, 2);
});
