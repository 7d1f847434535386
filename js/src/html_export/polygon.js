// The inside of a closed line, which may cross itself.

/** @import { Point } from "../shared/model" */

export class Polygon {
  /** @param {Point[]} corners */
  constructor(corners) {
    /** Without horizontal edges, which no horizontal line crosses. @type {[Point, Point][]} */
    this.edges = corners
      .map((end, at) => /** @type {[Point, Point]} */ ([corners.at(at - 1), end]))
      .filter(([[, from], [, to]]) => from !== to);
    const heights = this.edges.flat().map(([, y]) => y);
    this.low = Math.min(...heights);
    this.high = Math.max(...heights);
  }

  /**
   * Where the polygon crosses the height y, from left to right, and whether upwards (1) or downwards (-1). An edge
   * includes its lower end but not its upper one, so that a corner is crossed once.
   * @param {number} y
   */
  crossings(y) {
    if (y < this.low || y >= this.high) return [];
    return this.edges
      .filter(([[, from], [, to]]) => Math.min(from, to) <= y && y < Math.max(from, to))
      .map(([[x, from], [end, to]]) => [x + ((y - from) / (to - from)) * (end - x), Math.sign(to - from)])
      .sort(([one], [other]) => one - other);
  }

  /**
   * The parts of the height y that lie inside.
   * @param {number} y
   */
  spans(y) {
    /** @type {Point[]} */
    const spans = [];
    let turns = 0;
    for (const [x, sense] of this.crossings(y)) {
      if (turns === 0) spans.push([x, x]);
      turns += sense;
      spans[spans.length - 1][1] = x;
    }
    return spans;
  }

  /**
   * @param {number} x
   * @param {number} y
   */
  contains(x, y) {
    return this.spans(y).some(([left, right]) => left <= x && x < right);
  }
}
