/** @import { Point } from "./model" */

/** Shorter drags, in pixels, are clicks. */
export const SHORTEST_DRAG = 3;

/**
 * @param {number} value
 * @param {number} low
 * @param {number} high
 */
export function clamp(value, low, high) {
  return Math.min(Math.max(value, low), high);
}

/**
 * @param {Point} one
 * @param {Point} other
 */
export function distance(one, other) {
  return Math.hypot(one[0] - other[0], one[1] - other[1]);
}

/**
 * The corners of the rectangle that two opposite corners span.
 * @param {Point} start
 * @param {Point} end
 * @returns {Point[]}
 */
export function rectangle([left, top], [right, bottom]) {
  return [
    [left, top],
    [right, top],
    [right, bottom],
    [left, bottom],
  ];
}
