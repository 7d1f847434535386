// Which part of the map is visible on the canvas. The coordinates of the map run from -1/2 to 1/2.

/** @import { Point } from "../shared/model" */
/** @import { MapView, Turn } from "./traits" */

import { clamp } from "../shared/geometry.js";

const FILL = 0.94; // the share of the canvas that the whole map takes up
const RADIANS_PER_PIXEL = 0.01;
const SMALLEST_ZOOM = 0.2;
const LARGEST_ZOOM = 1000;

export class Camera {
  constructor() {
    this.width = 1;
    this.height = 1;
    /** Half the sides of the map, before it is turned. @type {Point} */
    this.half = [0.5, 0.5];
    /** @type {Point} */
    this.centre = [0, 0];
    this.zoom = 1;
    /** Which directions of the map point right, up and towards the viewer. @type {Turn} */
    this.turn = unturned();
  }

  /** The view, whatever the size of the canvas. @returns {MapView} */
  get view() {
    return { centre: this.centre, zoom: this.zoom, turn: this.turn };
  }

  /** Shows the whole map from the front. */
  fit() {
    this.centre = [0, 0];
    this.zoom = 1;
    this.turn = unturned();
  }

  /**
   * Rotates the map by a drag, given in pixels.
   * @param {number} dx
   * @param {number} dy
   */
  rotate(dx, dy) {
    const [right, up, near] = this.turn;
    const [a, b] = [RADIANS_PER_PIXEL * dx, RADIANS_PER_PIXEL * dy];
    const [newRight, newNear] = [mix(right, near, a), mix(near, right, -a)];
    this.turn = [newRight, mix(up, newNear, -b), mix(newNear, up, b)];
  }

  /** How many CSS pixels a coordinate takes: the whole map fills the canvas, whatever its shape. */
  get pixels() {
    const [across, up] = this.half;
    return Math.min(this.width / across, this.height / up) * (FILL / 2) * this.zoom;
  }

  /**
   * Converts a point of the canvas to coordinates of the rotated map.
   * @param {Point} point
   * @returns {Point}
   */
  toMap([x, y]) {
    return [this.centre[0] + (x - this.width / 2) / this.pixels, this.centre[1] - (y - this.height / 2) / this.pixels];
  }

  /**
   * Converts coordinates of the rotated map to a point of the canvas.
   * @param {Point} place
   * @returns {Point}
   */
  toCanvas([x, y]) {
    return [this.width / 2 + (x - this.centre[0]) * this.pixels, this.height / 2 - (y - this.centre[1]) * this.pixels];
  }

  /**
   * Moves the map by a drag, given in pixels.
   * @param {number} dx
   * @param {number} dy
   */
  pan(dx, dy) {
    this.centre = [this.centre[0] - dx / this.pixels, this.centre[1] + dy / this.pixels];
  }

  /**
   * Zooms around a point of the canvas, which stays where it is.
   * @param {Point} point
   * @param {number} factor
   */
  zoomAt(point, factor) {
    const before = this.toMap(point);
    this.zoom = clamp(this.zoom * factor, SMALLEST_ZOOM, LARGEST_ZOOM);
    const after = this.toMap(point);
    this.centre = [this.centre[0] + before[0] - after[0], this.centre[1] + before[1] - after[1]];
  }
}

/** @returns {Turn} */
function unturned() {
  return [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ];
}

/**
 * Rotates one axis towards another.
 * @param {number[]} one
 * @param {number[]} other
 * @param {number} angle
 */
function mix(one, other, angle) {
  return one.map((part, at) => part * Math.cos(angle) + other[at] * Math.sin(angle));
}
