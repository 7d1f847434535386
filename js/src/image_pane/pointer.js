// Mouse and keyboard actions on an image: moving the view, clicking cells, and drawing around them or over them.

/** @import { Point, SelectionMode, Tool } from "../shared/model" */
/** @import { Scene } from "./scene.js" */

import { ClickedPolygon } from "../shared/clicked_polygon.js";
import { clamp, distance, rectangle, SHORTEST_DRAG } from "../shared/geometry.js";
import { selectionMode } from "../shared/selection_mode.js";
import { SpaceBar } from "../shared/space_bar.js";

const HOVER_EVERY = 60; // milliseconds
const DOUBLE_CLICK = 400; // milliseconds
const KEY_STEP = 60; // pixels
const KEY_ZOOM = 1.5;

/**
 * The part of the view that the mouse acts on.
 * @typedef {object} PointerTarget
 * @property {Tool} tool
 * @property {Pick<Scene, "width" | "height" | "pan" | "zoomAt" | "look" | "toPicture" | "toCanvas">} scene
 * @property {(point: Point | null) => void} hover
 * @property {(point: Point, mode: SelectionMode) => void} click
 * @property {(drag: Pick<Drag, "tool" | "mode" | "points">) => void} finish
 */

/**
 * @typedef {object} Drag
 * @property {Tool} tool
 * @property {number} button
 * @property {SelectionMode} mode
 * @property {Point} start
 * @property {Point} last
 * @property {Point[]} points the corners of the lasso or rectangle, or the path of the brush
 * @property {boolean} isDrag whether it is too long to be a click
 */

export class Pointer {
  /**
   * @param {PointerTarget} view
   * @param {HTMLCanvasElement} canvas
   * @param {(corners: Point[] | null, tool?: Tool) => void} sketch shows what is being drawn
   * @param {AbortSignal} signal
   */
  constructor(view, canvas, sketch, signal) {
    this.view = view;
    this.canvas = canvas;
    this.sketch = sketch;
    /** @type {Drag | null} */
    this.drag = null;
    /** @type {Point | null} */
    this.hovered = null;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.hoverTimer = undefined;
    /** @type {{ timeStamp: number, point: Point } | null} */
    this.lastClick = null;
    const { scene } = view;
    /** @type {ClickedPolygon<{ row: number, column: number }>} */
    this.polygon = new ClickedPolygon(
      ([x, y]) => scene.toPicture(x, y),
      ({ row, column }) => scene.toCanvas(row, column),
    );
    this.spaceBar = new SpaceBar(canvas, signal);
    canvas.addEventListener("pointerdown", (event) => this.press(event), { signal });
    canvas.addEventListener("pointermove", (event) => this.move(event), { signal });
    canvas.addEventListener("pointerup", (event) => this.release(event), { signal });
    canvas.addEventListener("pointercancel", () => this.giveUp(), { signal });
    canvas.addEventListener("pointerleave", () => this.leave(), { signal });
    canvas.addEventListener("dblclick", (event) => this.doubleClick(event), { signal });
    canvas.addEventListener("wheel", (event) => this.wheel(event), { signal, passive: false });
    canvas.addEventListener("keydown", (event) => this.key(event), { signal });
    canvas.addEventListener("contextmenu", (event) => this.openMenu(event), { signal });
    signal.addEventListener("abort", () => clearTimeout(this.hoverTimer));
  }

  /**
   * The position of the mouse on the canvas, even if the page is scaled.
   * @param {MouseEvent} event
   * @returns {Point}
   */
  pointOf(event) {
    const box = this.canvas.getBoundingClientRect();
    const { width, height } = this.view.scene;
    return [((event.clientX - box.left) * width) / box.width, ((event.clientY - box.top) * height) / box.height];
  }

  /** @param {PointerEvent} event */
  press(event) {
    const tool = event.button === 1 || this.spaceBar.isHeld ? "move" : this.view.tool;
    if (this.drag || (event.button > 1 && tool !== "polygon")) return;
    event.preventDefault();
    this.canvas.focus({ preventScroll: true });
    if (tool === "polygon") return this.corner(event, event.button === 2);
    this.canvas.setPointerCapture(event.pointerId);
    const start = this.pointOf(event);
    const mode = selectionMode(event);
    this.drag = { tool, button: event.button, mode, start, last: start, points: [start], isDrag: false };
  }

  /** @param {PointerEvent} event */
  move(event) {
    const point = this.pointOf(event);
    const { drag } = this;
    if (!drag) {
      this.showPolygon(point);
      if (this.view.tool === "brush") this.sketch([point], "brush");
      return this.hover(point);
    }
    drag.isDrag ||= distance(point, drag.start) >= SHORTEST_DRAG;
    if (!drag.isDrag) return;
    if (drag.tool === "move") {
      this.view.scene.pan(point[0] - drag.last[0], point[1] - drag.last[1]);
      this.showPolygon();
    } else this.draw(drag, point);
    drag.last = point;
  }

  /**
   * @param {Drag} drag
   * @param {Point} point
   */
  draw(drag, point) {
    if (drag.tool === "rectangle") drag.points = rectangle(drag.points[0], point);
    else if (distance(point, drag.points[drag.points.length - 1]) >= SHORTEST_DRAG) drag.points.push(point);
    this.sketch(drag.points, drag.tool);
  }

  /** @param {PointerEvent} event */
  release(event) {
    const { drag } = this;
    if (!drag) return;
    // A busy browser may skip the event of the last move.
    this.move(event);
    this.end();
    if (drag.isDrag) {
      const fewest = drag.tool === "brush" ? 1 : 3;
      if (drag.tool !== "move" && drag.points.length >= fewest) this.view.finish(drag);
    } else if (drag.button === 0 && !this.isSecondClick(event)) this.view.click(drag.start, drag.mode);
  }

  /**
   * Whether this is the second click of a double click, which must not pick a cell again.
   * @param {PointerEvent} event
   */
  isSecondClick({ timeStamp, clientX, clientY }) {
    const before = this.lastClick;
    /** @type {Point} */
    const point = [clientX, clientY];
    this.lastClick = { timeStamp, point };
    return (
      before !== null && timeStamp - before.timeStamp < DOUBLE_CLICK && distance(point, before.point) < SHORTEST_DRAG
    );
  }

  /**
   * Sets a corner of the polygon, or closes it.
   * @param {MouseEvent} event
   * @param {boolean} closes
   */
  corner(event, closes) {
    const { polygon } = this;
    if (polygon.click(this.pointOf(event), closes)) {
      const { points } = polygon;
      this.giveUp();
      this.view.finish({ tool: "polygon", mode: selectionMode(event), points });
    } else if (event.type === "dblclick") this.giveUp();
    else this.showPolygon();
  }

  /** @param {Point[]} end where the mouse is */
  showPolygon(...end) {
    const { points } = this.polygon;
    if (points.length) this.sketch([...points, ...end], "polygon");
  }

  /** @param {MouseEvent} event */
  doubleClick(event) {
    if (this.polygon.places.length) this.corner(event, true);
    else this.view.scene.look({ zoom: null });
  }

  /** @param {MouseEvent} event */
  openMenu(event) {
    // On a Mac, a click with Control opens a menu.
    if (event.ctrlKey || this.view.tool === "polygon") event.preventDefault();
  }

  leave() {
    if (!this.drag && !this.polygon.places.length) this.sketch(null);
    this.hover(null);
  }

  /** Ends a drag; a polygon stays. */
  end() {
    this.drag = null;
    this.sketch(null);
    this.showPolygon();
  }

  giveUp() {
    this.polygon.clear();
    this.end();
  }

  /** @param {WheelEvent} event */
  wheel(event) {
    event.preventDefault();
    if (this.drag) return;
    const step = event.deltaMode === 1 ? 20 * event.deltaY : event.deltaY;
    const [x, y] = this.pointOf(event);
    this.view.scene.zoomAt(x, y, Math.exp(-clamp(step, -200, 200) / 400));
    this.showPolygon();
  }

  /** @param {KeyboardEvent} event */
  key(event) {
    const { scene } = this.view;
    const [x, y] = [scene.width / 2, scene.height / 2];
    /** @type {Record<string, () => void>} */
    const actions = {
      Escape: () => this.giveUp(),
      ArrowLeft: () => scene.pan(KEY_STEP, 0),
      ArrowRight: () => scene.pan(-KEY_STEP, 0),
      ArrowUp: () => scene.pan(0, KEY_STEP),
      ArrowDown: () => scene.pan(0, -KEY_STEP),
      "+": () => scene.zoomAt(x, y, KEY_ZOOM),
      "-": () => scene.zoomAt(x, y, 1 / KEY_ZOOM),
      0: () => scene.look({ zoom: null }),
    };
    const act = actions[event.key];
    if (!act || (event.key !== "Escape" && (event.ctrlKey || event.metaKey || event.altKey))) return;
    // The notebook uses these keys otherwise.
    event.preventDefault();
    event.stopPropagation();
    act();
  }

  /**
   * Reports the position of the mouse from time to time, and always the last one.
   * @param {Point | null} point
   */
  hover(point) {
    this.hovered = point;
    this.hoverTimer ??= setTimeout(() => {
      this.hoverTimer = undefined;
      this.view.hover(this.hovered);
    }, HOVER_EVERY);
  }
}
