import assert from "node:assert/strict";
import test from "node:test";
import { Camera } from "../src/map_pane/camera.js";

function cameraOf(width = 600, height = 400) {
  return Object.assign(new Camera(), { width, height });
}

const round = (numbers) => numbers.map((number) => Math.round(1e9 * number) / 1e9 + 0);

test("the map takes the canvas's shorter side but for a margin, upwards being up", () => {
  const camera = cameraOf();
  assert.equal(camera.pixels, 376);
  assert.deepEqual(round(camera.toMap([300, 200])), [0, 0]);
  assert.deepEqual(round(camera.toMap([300 + 188, 200 - 188])), [0.5, 0.5]);
  assert.deepEqual(round(camera.toMap([300 - 188, 200 + 188])), [-0.5, -0.5]);
});

test("a map that is wider than high takes all of a wide canvas", () => {
  const camera = Object.assign(cameraOf(), { half: [0.5, 0.25] });
  assert.equal(camera.pixels, 0.94 * 600);
  assert.deepEqual(round(camera.toMap([300 + 282, 200 - 141])), [0.5, 0.25]);
  camera.half = [0.25, 0.5];
  assert.equal(camera.pixels, 376);
});

test("panning moves the map with the mouse", () => {
  const camera = cameraOf();
  const place = camera.toMap([100, 100]);
  camera.pan(30, -20);
  assert.deepEqual(round(camera.toMap([130, 80])), round(place));
});

test("zooming leaves the place under the mouse where it is, and has limits", () => {
  const camera = cameraOf();
  const place = camera.toMap([450, 80]);
  camera.zoomAt([450, 80], 3);
  assert.equal(camera.zoom, 3);
  assert.deepEqual(round(camera.toMap([450, 80])), round(place));
  camera.zoomAt([0, 0], 1e9);
  assert.equal(camera.zoom, 1000);
  camera.zoomAt([0, 0], 1e-9);
  assert.equal(camera.zoom, 0.2);
});

test("a turned map keeps its axes at right angles, and a turn back undoes it", () => {
  const camera = cameraOf();
  camera.rotate(70, -110);
  const { turn } = camera;
  for (const [at, one] of turn.entries())
    assert.deepEqual(
      round(turn.map((other) => one.reduce((sum, part, axis) => sum + part * other[axis], 0))),
      [0, 1, 2].map((axis) => Number(axis === at)),
    );
  camera.rotate(0, 110);
  camera.rotate(-70, 0);
  assert.deepEqual(round(camera.turn.flat()), [1, 0, 0, 0, 1, 0, 0, 0, 1]);
});

test("a drag to the right brings what is near to the right", () => {
  const camera = cameraOf();
  camera.rotate((100 * Math.PI) / 2, 0);
  assert.deepEqual(round(camera.turn[0]), [0, 0, 1]);
  camera.fit();
  camera.rotate(0, (-100 * Math.PI) / 2);
  assert.deepEqual(round(camera.turn[1]), [0, 0, 1]);
});

test("fitting shows everything from the front", () => {
  const camera = cameraOf();
  camera.rotate(7, 7);
  camera.zoomAt([1, 1], 5);
  camera.fit();
  assert.deepEqual(camera.view, cameraOf().view);
});
