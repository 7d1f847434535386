// Where positions along the axes lie on the page.

/** @import { Point } from "../shared/model" */
/** @import { Limits, Outline } from "./traits" */

import { Polygon } from "../html_export/polygon.js";

const [LEFT, RIGHT, TOP, BOTTOM] = [58, 10, 6, 38];
const HANDLE = 10; // how near the mouse must be to a handle or a line, in pixels
const LINE = 6;
const FARTHEST = 1e5; // pixels: what lies farther away is not drawn

export class Axes {
  constructor() {
    /** @type {Limits} */
    this.limits = [0, 1, 0, 1];
    this.width = 0;
    this.height = 0;
  }

  /** The part of the pane inside the axes: its left and upper edge, width and height. */
  get area() {
    return {
      x: LEFT,
      y: TOP,
      width: Math.max(1, this.width - LEFT - RIGHT),
      height: Math.max(1, this.height - TOP - BOTTOM),
    };
  }

  /** The lengths of a pixel along both axes. @returns {Point} */
  get pixel() {
    const [left, right, bottom, top] = this.limits;
    return [(right - left) / this.area.width, (top - bottom) / this.area.height];
  }

  /**
   * @param {Point} position
   * @returns {Point}
   */
  toPixel([across, up]) {
    const { x, y, height } = this.area;
    const [dx, dy] = this.pixel;
    const [left, , bottom] = this.limits;
    return /** @type {Point} */ (
      [x + (across - left) / dx, y + height - (up - bottom) / dy].map((at) =>
        Math.max(-FARTHEST, Math.min(FARTHEST, at)),
      )
    );
  }

  /**
   * @param {Point} pixel
   * @returns {Point}
   */
  toPosition([px, py]) {
    const { x, y, height } = this.area;
    const [dx, dy] = this.pixel;
    return [this.limits[0] + (px - x) * dx, this.limits[2] + (y + height - py) * dy];
  }

  /**
   * The limits after zooming around a pixel, which stays where it is.
   * @param {Point} pixel
   * @param {number} factor
   * @param {boolean} keepsHeight whether the heights stay, as those of a histogram
   * @returns {Limits}
   */
  zoomed(pixel, factor, keepsHeight) {
    const [across, up] = this.toPosition(pixel);
    const [left, right, bottom, top] = this.limits;
    const scaled = (/** @type {number} */ centre, /** @type {number} */ end) => centre + (end - centre) * factor;
    const heights = keepsHeight ? [bottom, top] : [scaled(up, bottom), scaled(up, top)];
    return [scaled(across, left), scaled(across, right), heights[0], heights[1]];
  }

  /**
   * What of the current gate is under the mouse: the index of a handle, null for the gate as a whole, or undefined.
   * @param {Outline | undefined} current
   * @param {Point} point
   * @param {boolean} takesInside whether a closed outline can be taken by its inside
   * @returns {number | null | undefined}
   */
  grip(current, [x, y], takesInside) {
    if (!current) return undefined;
    const away = current.handles.map((at) => {
      const [px, py] = this.toPixel(at);
      return Math.hypot(px - x, py - y);
    });
    const handle = away.findIndex((distance) => distance <= HANDLE);
    if (handle >= 0) return current.closed ? handle : null;
    const paths = current.paths.map((path) => path.map((at) => this.toPixel(at)));
    if (current.closed) return takesInside && new Polygon(paths[0]).contains(x, y) ? null : undefined;
    // Lines that are not closed are vertical or horizontal.
    const near = paths.some(([one, other]) => Math.abs(one[0] === other[0] ? one[0] - x : one[1] - y) <= LINE);
    return near ? null : undefined;
  }
}
