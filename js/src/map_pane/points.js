// The points of the map, as Python has sent them.

/** @import { Point } from "../shared/model" */
/** @import { MapModel, Turn } from "./traits" */

import { alignedBuffer, bytesOf, unpackBits } from "../shared/bytes.js";

// The flags of a point are the sum of these, as the shader reads them.
const SELECTED = 1;
const HIDDEN = 2;
const BEYOND = 4;
const NOW = 8;
const HOLLOW = 16;
const MIDDLE_SHARE = 0.5;

export class Points {
  /** @param {Pick<MapModel, "get">} model */
  constructor(model) {
    this.model = model;
    this.places = new Float32Array();
    this.axes = 2;
    /** The frame that the points belong to. */
    this.frame = 0;
    this.count = 0;
    this.codes = new Float32Array();
    this.shares = new Float32Array();
    this.palette = new Uint8Array();
    this.flags = new Float32Array();
    /** The frame of each point. */
    this.times = new Float32Array();
    this.hasSelection = false;
    /** Whether the points of one frame stand out. */
    this.hasNow = false;
    this.hasHollow = false;
    this.read();
  }

  /** Reads everything. */
  read() {
    const { model } = this;
    this.places = new Float32Array(alignedBuffer(model.get("places")));
    this.axes = model.get("axes");
    this.frame = model.get("frame");
    this.count = this.places.length / this.axes;
    this.codes = new Float32Array(new Uint16Array(alignedBuffer(model.get("codes"))));
    this.shares = Float32Array.from(bytesOf(model.get("shares")), (share) => share / 255);
    if (this.shares.length !== this.count) this.shares = new Float32Array(this.count).fill(MIDDLE_SHARE);
    this.palette = bytesOf(model.get("palette"));
    this.readTimes();
    this.readFlags();
  }

  /** Reads the frames that the points belong to. */
  readTimes() {
    this.times = new Float32Array(new Int32Array(alignedBuffer(this.model.get("times"))));
    if (this.times.length !== this.count) this.times = new Float32Array(this.count);
  }

  /** Reads which points are selected or hidden, lie beyond the edge of the map, or are in the frame shown. */
  readFlags() {
    const selected = unpackBits(bytesOf(this.model.get("selected")), this.count);
    const hidden = unpackBits(bytesOf(this.model.get("hidden")), this.count);
    const beyond = unpackBits(bytesOf(this.model.get("beyond")), this.count);
    const hollow = unpackBits(bytesOf(this.model.get("hollow")), this.count);
    const now = this.model.get("now") ?? -1;
    this.hasNow = now >= 0;
    // Float32Array.from would take twice as long, which a million points show at each new selection.
    this.flags = new Float32Array(this.count);
    for (let at = 0; at < this.count; at++) {
      const isNow = this.hasNow && this.times[at] === now;
      this.flags[at] =
        selected[at] * SELECTED + hidden[at] * HIDDEN + beyond[at] * BEYOND + hollow[at] * HOLLOW + (isNow ? NOW : 0);
    }
    this.hasSelection = selected.includes(1);
    this.hasHollow = hollow.includes(1);
  }

  /**
   * The pass in which a point is drawn, as the shader counts them; undefined if it is hidden.
   * @param {number} row
   */
  passOf(row) {
    const flags = this.flags[row];
    if (flags & HIDDEN) return undefined;
    if (flags & SELECTED) return 2;
    return flags & NOW || (flags & (HOLLOW + BEYOND)) === HOLLOW ? 1 : 0;
  }

  /**
   * The row of the visible point closest to a place on the rotated map, or -1 if none is within reach. Among several at
   * the same distance, the one closest to the viewer.
   * @param {Point} place
   * @param {number} reach
   * @param {Turn} turn
   */
  nearest(place, reach, turn) {
    const [right, up, near] = turn;
    let found = -1;
    let least = reach * reach;
    let nearestDepth = -Infinity;
    for (let at = 0; at < this.count; at++) {
      const [x, y] = [this.places[this.axes * at], this.places[this.axes * at + 1]];
      const z = this.axes === 3 ? this.places[3 * at + 2] : 0;
      const dx = right[0] * x + right[1] * y + right[2] * z - place[0];
      const dy = up[0] * x + up[1] * y + up[2] * z - place[1];
      const away = dx * dx + dy * dy;
      if (away > least || this.flags[at] & HIDDEN) continue;
      const depth = near[0] * x + near[1] * y + near[2] * z;
      if (away === least && depth <= nearestDepth) continue;
      [least, nearestDepth, found] = [away, depth, at];
    }
    return found;
  }
}
