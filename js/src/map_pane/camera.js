// Which part of the map is seen, on a canvas of some size. The map lies from -1/2 to 1/2.

/** @import { Point } from "../shared/model" */
/** @import { MapView, Turn } from "./traits" */

import { clamp } from "../shared/geometry.js";

const MARGIN = 0.94; // the share of the canvas that the map takes
const RADIANS_PER_PIXEL = 0.01;
const SMALLEST_ZOOM = 0.2;
const LARGEST_ZOOM = 1000;

export class Camera {
  constructor() {
    this.width = 1;
    this.height = 1;
    /** @type {Point} */
    this.centre = [0, 0];
    this.zoom = 1;
    /** What is to the right, upwards and towards the eye. @type {Turn} */
    this.turn = unturned();
  }

  /** What is seen, whatever the size of the canvas. @returns {MapView} */
  get view() {
    return { centre: this.centre, zoom: this.zoom, turn: this.turn };
  }

  /** Shows all of the map, from the front. */
  fit() {
    this.centre = [0, 0];
    this.zoom = 1;
    this.turn = unturned();
  }

  /**
   * Turns the map as a drag does, by pixels of the screen.
   * @param {number} dx
   * @param {number} dy
   */
  rotate(dx, dy) {
    const [right, up, near] = this.turn;
    const [a, b] = [RADIANS_PER_PIXEL * dx, RADIANS_PER_PIXEL * dy];
    const [newRight, newNear] = [mix(right, near, a), mix(near, right, -a)];
    this.turn = [newRight, mix(up, newNear, -b), mix(newNear, up, b)];
  }

  /** The length of the map's side, in pixels of the screen. */
  get pixels() {
    return Math.min(this.width, this.height) * MARGIN * this.zoom;
  }

  /**
   * From the canvas to the map, as it is seen.
   * @param {Point} point
   * @returns {Point}
   */
  toMap([x, y]) {
    return [this.centre[0] + (x - this.width / 2) / this.pixels, this.centre[1] - (y - this.height / 2) / this.pixels];
  }

  /**
   * Moves the map by pixels of the screen.
   * @param {number} dx
   * @param {number} dy
   */
  pan(dx, dy) {
    this.centre = [this.centre[0] - dx / this.pixels, this.centre[1] + dy / this.pixels];
  }

  /**
   * Zooms about a point of the canvas.
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
 * One axis turned towards another.
 * @param {number[]} one
 * @param {number[]} other
 * @param {number} angle
 */
function mix(one, other, angle) {
  return one.map((part, at) => part * Math.cos(angle) + other[at] * Math.sin(angle));
}
