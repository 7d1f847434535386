// A polygon whose corners are clicked one by one.

/** @import { Point } from "./model" */

import { distance, SHORTEST_DRAG } from "./geometry.js";

const CLOSE = 10; // how near to the first corner a click closes the polygon, in pixels

/**
 * The corners stay where they are on a map or an image, while the view of it moves.
 * @template Place
 */
export class ClickedPolygon {
  /**
   * @param {(point: Point) => Place} toPlace from a point of the canvas to what is drawn there
   * @param {(place: Place) => Point} toCanvas
   */
  constructor(toPlace, toCanvas) {
    this.toPlace = toPlace;
    this.toCanvas = toCanvas;
    /** @type {Place[]} */
    this.places = [];
  }

  /** The corners on the canvas. */
  get points() {
    return this.places.map(this.toCanvas);
  }

  /**
   * Adds a corner, unless the click closes the polygon.
   * @param {Point} point
   * @param {boolean} closes whether the click closes it wherever it is
   * @returns whether it is closed now
   */
  click(point, closes) {
    const { points } = this;
    if (closes || (points.length > 2 && distance(points[0], point) <= CLOSE)) return points.length > 2;
    if (!points.length || distance(points[points.length - 1], point) >= SHORTEST_DRAG)
      this.places.push(this.toPlace(point));
    return false;
  }

  /** Forgets the corners. */
  clear() {
    this.places = [];
  }
}
