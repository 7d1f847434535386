// The trace of a round brush.

/** @import { Point } from "../shared/model" */

const STEPS = 16; // for each radius along the path, so many that the trace has a smooth edge

export class Stroke {
  /**
   * @param {Point[]} path of the centre
   * @param {number} radius
   */
  constructor(path, radius) {
    this.radius = radius;
    /** Points along the path. @type {Point[]} */
    this.centres = [path[0]];
    for (const [at, [x, y]] of path.entries()) {
      const [left, low] = path[Math.max(at - 1, 0)];
      const steps = Math.ceil((STEPS * Math.hypot(x - left, y - low)) / radius);
      for (let step = 1; step <= steps; step++)
        this.centres.push([left + ((x - left) * step) / steps, low + ((y - low) * step) / steps]);
    }
  }

  /**
   * The parts of the height y that the brush has touched, from left to right.
   * @param {number} y
   */
  spans(y) {
    const { radius } = this;
    const touched = this.centres
      .filter((centre) => Math.abs(centre[1] - y) <= radius)
      .map(([x, centre]) => {
        const half = Math.sqrt(radius ** 2 - (centre - y) ** 2);
        return /** @type {Point} */ ([x - half, x + half]);
      })
      .sort(([one], [other]) => one - other);
    /** @type {Point[]} */
    const spans = [];
    for (const [left, right] of touched) {
      const last = spans[spans.length - 1];
      if (last && left <= last[1]) last[1] = Math.max(last[1], right);
      else spans.push([left, right]);
    }
    return spans;
  }

  /**
   * @param {number} x
   * @param {number} y
   */
  contains(x, y) {
    return this.centres.some((centre) => Math.hypot(centre[0] - x, centre[1] - y) <= this.radius);
  }
}
