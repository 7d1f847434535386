// Mouse actions on the plot: moving it, drawing a shape, dragging a gate, and picking a cell.

/** @import { Point } from "../shared/model" */
/** @import { Axes } from "./axes.js" */
/** @import { Limits, Outline, PlotModel } from "./traits" */

import { ClickedPolygon } from "../shared/clicked_polygon.js";
import { distance, rectangle, SHORTEST_DRAG } from "../shared/geometry.js";
import { selectionMode } from "../shared/selection_mode.js";

const REACH = 8; // how close the mouse must be to a cell, in pixels

/**
 * The part of the plot that the mouse acts on.
 * @typedef {object} PlotTarget
 * @property {GlobalEventHandlers & { style: { cursor: string }, focus(options?: FocusOptions): void,
 *   setPointerCapture(id: number): void }} overlay
 * @property {Pick<PlotModel, "get" | "send">} model
 * @property {Axes} axes
 * @property {boolean} isHistogram
 * @property {Outline | undefined} current the gate that can be dragged
 * @property {(limits: Limits | null) => void} look brings this part into view; null for all
 * @property {(paths: Point[][], closed: boolean) => void} sketch shows what is being drawn
 */

export class Pointer {
  /** @param {PlotTarget} plot */
  constructor(plot) {
    this.plot = plot;
    /** The path of the mouse since its button was pressed. @type {Point[] | null} */
    this.path = null;
    /** What of the gate is dragged; undefined for nothing. @type {number | null | undefined} */
    this.grip = undefined;
    /** The view when the button was pressed. @type {Limits} */
    this.limits = plot.axes.limits;
    /** A message that waits for the next frame. @type {number | undefined} */
    this.waiting = undefined;
    /** The corners clicked so far, as positions along the axes. @type {ClickedPolygon<Point>} */
    this.polygon = new ClickedPolygon(
      (point) => plot.axes.toPosition(point),
      (position) => plot.axes.toPixel(position),
    );
    const { overlay } = plot;
    overlay.onpointerdown = (event) => this.press(event);
    overlay.onpointermove = (event) => this.move(event);
    overlay.onpointerup = (event) => this.release(event);
    overlay.onpointercancel = () => this.giveUp();
    overlay.onwheel = (event) => {
      event.preventDefault();
      const factor = Math.exp(event.deltaY / 400);
      plot.look(plot.axes.zoomed([event.offsetX, event.offsetY], factor, plot.isHistogram));
      this.showPolygon();
    };
    overlay.ondblclick = (event) => {
      if (this.polygon.places.length) this.corner(event, true);
      else plot.look(null);
    };
    overlay.oncontextmenu = (event) => {
      if (this.tool === "polygon") event.preventDefault();
    };
    overlay.onkeydown = (event) => {
      if (event.key === "Escape") this.giveUp();
      else if (event.key === "Enter" && this.polygon.places.length) this.close(event);
    };
  }

  get tool() {
    return this.plot.model.get("tool");
  }

  /** @param {PointerEvent} event */
  press(event) {
    const { plot, polygon } = this;
    const isDrawing = polygon.places.length > 0;
    if (event.button !== 0 && !(event.button === 2 && isDrawing)) return;
    plot.overlay.focus({ preventScroll: true });
    /** @type {Point} */
    const here = [event.offsetX, event.offsetY];
    const isBrushing = this.tool !== "move" && selectionMode(event) !== "replace";
    const grip = isBrushing || isDrawing ? undefined : plot.axes.grip(plot.current, here, this.tool === "move");
    if (this.tool === "polygon" && grip === undefined) {
      this.corner(event, event.button === 2);
      return;
    }
    plot.overlay.setPointerCapture(event.pointerId);
    this.path = [here];
    this.limits = plot.axes.limits;
    this.grip = grip;
    this.follow();
  }

  /** @param {PointerEvent} event */
  move(event) {
    const { plot } = this;
    /** @type {Point} */
    const here = [event.offsetX, event.offsetY];
    if (this.path) {
      this.path.push(here);
      this.follow();
      return;
    }
    if (this.polygon.places.length) {
      this.showPolygon(here);
      return;
    }
    const grip = plot.axes.grip(plot.current, here, this.tool === "move");
    const idle = this.tool === "move" ? "grab" : "crosshair";
    plot.overlay.style.cursor = grip === undefined ? idle : grip === null ? "move" : "pointer";
  }

  /** The path as positions along the axes, of the view when the button was pressed. @returns {Point[]} */
  get positions() {
    const { axes } = this.plot;
    const now = axes.limits;
    axes.limits = this.limits;
    const positions = (this.path ?? []).map((at) => axes.toPosition(at));
    axes.limits = now;
    return positions;
  }

  /** Shows what comes of the drag so far. */
  follow() {
    const { plot, tool, positions } = this;
    const [first, last] = [positions[0], positions[positions.length - 1]];
    /** @type {Point} */
    const by = [last[0] - first[0], last[1] - first[1]];
    if (this.grip !== undefined) {
      const handle = this.grip;
      if (positions.length < 2) return;
      if (this.waiting !== undefined) cancelAnimationFrame(this.waiting);
      this.waiting = requestAnimationFrame(() => {
        this.waiting = undefined;
        plot.model.send({ kind: "dragged", handle, by });
      });
    } else if (tool === "move") {
      const [left, right, bottom, top] = this.limits;
      const up = plot.isHistogram ? 0 : by[1];
      if (by[0] || up) plot.look([left - by[0], right - by[0], bottom - up, top - up]);
    } else plot.sketch(this.shape(positions), tool === "lasso" || tool === "rectangle");
  }

  /**
   * The lines of what is being drawn.
   * @param {Point[]} positions
   * @returns {Point[][]}
   */
  shape(positions) {
    const [left, right, bottom, top] = this.plot.axes.limits;
    const [first, last] = [positions[0], positions[positions.length - 1]];
    if (this.tool === "lasso") return [positions];
    if (this.tool === "rectangle") {
      return [this.plot.isHistogram ? rectangle([first[0], bottom], [last[0], top]) : rectangle(first, last)];
    }
    /** @type {Point[][]} */
    const lines = [
      [
        [last[0], bottom],
        [last[0], top],
      ],
    ];
    if (this.tool === "quadrant")
      lines.push([
        [left, last[1]],
        [right, last[1]],
      ]);
    return lines;
  }

  /** @param {PointerEvent} event */
  release(event) {
    if (!this.path) return;
    // A busy browser may skip the event of the last move.
    const [x, y] = this.path[this.path.length - 1];
    if (event.offsetX !== x || event.offsetY !== y) this.move(event);
    const { plot, tool, positions, path, grip } = this;
    const isClick = path.every((at) => distance(at, path[0]) <= SHORTEST_DRAG);
    const mode = selectionMode(event);
    if (grip !== undefined && !isClick) {
      const [first, last] = [positions[0], positions[positions.length - 1]];
      plot.model.send({ kind: "dragged", handle: grip, by: [last[0] - first[0], last[1] - first[1]] });
      plot.model.send({ kind: "dropped" });
    } else if (grip !== undefined) {
      // A click on the gate changes nothing.
    } else if (tool === "threshold" || tool === "quadrant") {
      plot.model.send({ kind: "drawn", tool, points: positions, mode });
    } else if (isClick) {
      const [dx, dy] = plot.axes.pixel;
      plot.model.send({ kind: "clicked", point: positions[0], reach: [REACH * dx, REACH * dy], mode });
    } else if (tool !== "move") plot.model.send({ kind: "drawn", tool, points: positions, mode });
    this.giveUp();
  }

  /**
   * Sets a corner of the polygon, or closes it.
   * @param {MouseEvent} event
   * @param {boolean} closes whether it closes the polygon wherever it is
   */
  corner(event, closes) {
    if (this.polygon.click([event.offsetX, event.offsetY], closes)) this.close(event);
    else if (closes) this.giveUp();
    else this.showPolygon();
  }

  /**
   * Takes up the polygon; one of two corners is given up.
   * @param {MouseEvent | KeyboardEvent} event
   */
  close(event) {
    const points = this.polygon.places;
    this.giveUp();
    if (points.length > 2) this.plot.model.send({ kind: "drawn", tool: "polygon", points, mode: selectionMode(event) });
  }

  /**
   * Shows the polygon so far.
   * @param {Point[]} end where the mouse is
   */
  showPolygon(...end) {
    const { places } = this.polygon;
    if (places.length) this.plot.sketch([[...places, ...end.map((at) => this.plot.axes.toPosition(at))]], false);
  }

  giveUp() {
    this.polygon.clear();
    if (this.waiting !== undefined) cancelAnimationFrame(this.waiting);
    this.waiting = undefined;
    this.path = null;
    this.grip = undefined;
    this.plot.sketch([], false);
  }
}
