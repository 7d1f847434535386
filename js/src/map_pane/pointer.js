// Mouse actions on a map: moving the view, drawing around points or over them, and picking a point.

/** @import { Point, Tool } from "../shared/model" */
/** @import { Camera } from "./camera.js" */
/** @import { Points } from "./points.js" */
/** @import { MapModel } from "./traits" */

import { ClickedPolygon } from "../shared/clicked_polygon.js";
import { distance, rectangle, SHORTEST_DRAG } from "../shared/geometry.js";
import { selectionMode } from "../shared/selection_mode.js";
import { BRUSH } from "../shared/sketch.js";
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
 * @property {(corners: Point[] | null, tool?: Tool) => void} sketch shows what is being drawn
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
    const { camera } = pane;
    /** @type {ClickedPolygon<Point>} */
    this.polygon = new ClickedPolygon(
      (point) => camera.toMap(point),
      (place) => camera.toCanvas(place),
    );
    const { overlay } = pane;
    this.spaceBar = new SpaceBar(overlay, pane.abort.signal);
    overlay.onpointerdown = (event) => this.press(event);
    overlay.onpointermove = (event) => this.move(event);
    overlay.onpointerup = (event) => this.release(event);
    overlay.onpointercancel = () => this.giveUp();
    overlay.onpointerleave = () => this.leave();
    overlay.onwheel = (event) => {
      event.preventDefault();
      pane.camera.zoomAt([event.offsetX, event.offsetY], Math.exp(-event.deltaY / 400));
      pane.look();
      this.showPolygon();
    };
    overlay.ondblclick = (event) => {
      if (this.polygon.places.length) return this.corner(event, true);
      pane.camera.fit();
      pane.look();
    };
    overlay.oncontextmenu = (event) => {
      if (this.pane.model.get("tool") === "polygon") event.preventDefault();
    };
    overlay.onkeydown = (event) => {
      if (event.key === "Escape") this.giveUp();
    };
  }

  /** Whether Escape would discard a drawing. */
  get isDrawing() {
    return this.path !== null || this.polygon.places.length > 0;
  }

  get tool() {
    return this.isMoving ? "move" : this.pane.model.get("tool");
  }

  /** @param {PointerEvent} event */
  press(event) {
    if (this.path) return;
    const isMoving = event.button === 1 || this.spaceBar.isHeld;
    const setsCorner = this.pane.model.get("tool") === "polygon" && !isMoving;
    if (event.button > 1 && !setsCorner) return;
    event.preventDefault(); // the middle button would scroll
    this.pane.overlay.focus({ preventScroll: true });
    if (setsCorner) return this.corner(event, event.button === 2);
    this.button = event.button;
    this.isMoving = isMoving;
    this.pane.overlay.setPointerCapture(event.pointerId);
    this.path = [[event.offsetX, event.offsetY]];
  }

  /** @param {PointerEvent} event */
  move(event) {
    const { pane, path } = this;
    /** @type {Point} */
    const here = [event.offsetX, event.offsetY];
    if (!path) {
      this.showPolygon(here);
      if (this.tool === "brush") pane.sketch([here], "brush");
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
    if (this.tool === "move") this.showPolygon();
    else pane.sketch(this.corners(), this.tool);
  }

  /** @param {PointerEvent} event */
  release(event) {
    if (!this.path) return;
    // A busy browser may skip the event of the last move.
    const [x, y] = this.path[this.path.length - 1];
    if (event.offsetX !== x || event.offsetY !== y) this.move(event);
    const { pane, tool, path, button } = this;
    const corners = this.corners();
    this.end();
    const { model, points } = pane;
    const mode = selectionMode(event);
    if (Math.max(...path.map((point) => distance(point, path[0]))) < SHORTEST_DRAG) {
      if (button === 0) model.send({ kind: "clicked", row: pane.nearest(path[0]), frame: points.frame, mode });
    } else if (corners) this.finish(corners, tool, event);
  }

  /**
   * Tells what was drawn.
   * @param {Point[]} drawn
   * @param {Tool} tool
   * @param {MouseEvent} event
   */
  finish(drawn, tool, event) {
    const { camera, model, points } = this.pane;
    const turn = camera.turn.slice(0, 2).map((axis) => axis.slice(0, points.axes));
    const corners = drawn.map((point) => camera.toMap(point));
    const radius = tool === "brush" ? { radius: BRUSH / camera.pixels } : {};
    model.send({ kind: "drawn", corners, turn, tool, ...radius, frame: points.frame, mode: selectionMode(event) });
  }

  /**
   * Sets a corner of the polygon, or closes it.
   * @param {MouseEvent} event
   * @param {boolean} closes
   */
  corner(event, closes) {
    const { polygon } = this;
    if (polygon.click([event.offsetX, event.offsetY], closes)) {
      const { points } = polygon;
      this.giveUp();
      this.finish(points, "polygon", event);
    } else if (event.type === "dblclick") this.giveUp();
    else this.showPolygon();
  }

  /** @param {Point[]} end where the mouse is */
  showPolygon(...end) {
    const { points } = this.polygon;
    if (points.length) this.pane.sketch([...points, ...end], "polygon");
  }

  /** The lasso, rectangle or brush stroke that is being drawn, or null. */
  corners() {
    const { path, tool } = this;
    if (!path || tool === "move") return null;
    return tool === "rectangle" ? rectangle(path[0], path[path.length - 1]) : path;
  }

  leave() {
    if (!this.path && !this.polygon.places.length) this.pane.sketch(null);
    this.pane.hover(-1);
  }

  /** Ends a drag; a polygon stays. */
  end() {
    this.path = null;
    this.isMoving = false;
    this.pane.sketch(null);
    this.showPolygon();
  }

  giveUp() {
    this.polygon.clear();
    this.end();
  }
}
