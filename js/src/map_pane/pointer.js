// Mouse actions on a map: moving the view, drawing a lasso or rectangle, and picking a point.

/** @import { Point } from "../shared/model" */
/** @import { Camera } from "./camera.js" */
/** @import { Points } from "./points.js" */
/** @import { MapModel } from "./traits" */

import { distance, rectangle, SHORTEST_DRAG } from "../shared/geometry.js";
import { selectionMode } from "../shared/selection_mode.js";
import { SpaceBar } from "../shared/space_bar.js";

/**
 * The part of the pane that the mouse acts on.
 * @typedef {object} PointerTarget
 * @property {GlobalEventHandlers & EventTarget & { focus(options?: FocusOptions): void, setPointerCapture(id: number): void }} overlay
 * @property {AbortController} abort
 * @property {Pick<MapModel, "get" | "send">} model
 * @property {Camera} camera
 * @property {Pick<Points, "axes" | "frame">} points
 * @property {() => void} look shows what the camera sees
 * @property {(row: number) => void} hover
 * @property {(point: Point) => number} nearest
 * @property {(corners: Point[] | null) => void} sketch shows the lasso or rectangle that is being drawn
 */

export class Pointer {
  /** @param {PointerTarget} pane */
  constructor(pane) {
    this.pane = pane;
    /** The path of the mouse since its button was pressed. @type {Point[] | null} */
    this.path = null;
    /** The button that was pressed. */
    this.button = 0;
    /** Whether the view moves whatever the tool. */
    this.isMoving = false;
    const { overlay } = pane;
    this.spaceBar = new SpaceBar(overlay, pane.abort.signal);
    overlay.onpointerdown = (event) => this.press(event);
    overlay.onpointermove = (event) => this.move(event);
    overlay.onpointerup = (event) => this.release(event);
    overlay.onpointercancel = () => this.giveUp();
    overlay.onpointerleave = () => pane.hover(-1);
    overlay.onwheel = (event) => {
      event.preventDefault();
      pane.camera.zoomAt([event.offsetX, event.offsetY], Math.exp(-event.deltaY / 400));
      pane.look();
    };
    overlay.ondblclick = () => {
      pane.camera.fit();
      pane.look();
    };
    overlay.onkeydown = (event) => {
      if (event.key === "Escape") this.giveUp();
    };
  }

  get tool() {
    return this.isMoving ? "move" : this.pane.model.get("tool");
  }

  /** @param {PointerEvent} event */
  press(event) {
    if (event.button > 1 || this.path) return;
    event.preventDefault(); // the middle button would scroll
    this.button = event.button;
    this.isMoving = event.button === 1 || this.spaceBar.isHeld;
    this.pane.overlay.focus({ preventScroll: true });
    this.pane.overlay.setPointerCapture(event.pointerId);
    this.path = [[event.offsetX, event.offsetY]];
  }

  /** @param {PointerEvent} event */
  move(event) {
    const { pane, path } = this;
    /** @type {Point} */
    const here = [event.offsetX, event.offsetY];
    if (!path) {
      pane.hover(pane.nearest(here));
      return;
    }
    if (this.tool === "move") {
      const last = path[path.length - 1];
      const [dx, dy] = [here[0] - last[0], here[1] - last[1]];
      if (pane.points.axes === 3 && !event.shiftKey) pane.camera.rotate(dx, dy);
      else pane.camera.pan(dx, dy);
      pane.look();
    }
    if (this.tool === "rectangle") this.path = [path[0], here];
    else path.push(here);
    pane.sketch(this.corners());
  }

  /** @param {PointerEvent} event */
  release(event) {
    if (!this.path) return;
    // A busy browser may skip the event of the last move.
    const [x, y] = this.path[this.path.length - 1];
    if (event.offsetX !== x || event.offsetY !== y) this.move(event);
    const { pane, tool, path, button } = this;
    const corners = this.corners();
    this.giveUp();
    const { camera, model, points } = pane;
    const mode = selectionMode(event);
    if (Math.max(...path.map((point) => distance(point, path[0]))) < SHORTEST_DRAG) {
      if (button === 0) model.send({ kind: "clicked", row: pane.nearest(path[0]), frame: points.frame, mode });
    } else if (corners) {
      const turn = camera.turn.slice(0, 2).map((axis) => axis.slice(0, points.axes));
      model.send({ kind: "drawn", corners: corners.map((point) => camera.toMap(point)), turn, tool, mode });
    }
  }

  /** The lasso or rectangle that is being drawn, or null. */
  corners() {
    if (!this.path || this.tool === "move") return null;
    return this.tool === "lasso" ? this.path : rectangle(this.path[0], this.path[this.path.length - 1]);
  }

  giveUp() {
    this.path = null;
    this.isMoving = false;
    this.pane.sketch(null);
  }
}
