// The selected cells, by number.

/** @import { SelectionMode } from "../shared/model" */

/** @type {Record<SelectionMode, (was: number, is: number) => number>} */
const RULES = {
  replace: (_was, is) => is,
  add: (was, is) => was | is,
  subtract: (was, is) => was & ~is,
  intersect: (was, is) => was & is,
};

export class Selection {
  /** @param {number} n how many cells there are */
  constructor(n) {
    this.flags = new Uint8Array(n);
    /** @type {((flags: Uint8Array) => void)[]} */
    this.views = [];
  }

  get count() {
    return this.flags.reduce((sum, flag) => sum + flag, 0);
  }

  /**
   * @param {Iterable<number>} numbers
   * @param {SelectionMode} mode
   */
  choose(numbers, mode = "replace") {
    const chosen = new Uint8Array(this.flags.length);
    for (const number of numbers) chosen[number] = 1;
    this.flags = this.flags.map((was, number) => RULES[mode](was, chosen[number]));
    for (const view of this.views) view(this.flags);
  }

  /**
   * A click on a cell, or on none, which clears the selection unless a modifier key is held.
   * @param {number | null} number
   * @param {SelectionMode} mode
   */
  pick(number, mode) {
    if (number !== null || mode === "replace") this.choose(number === null ? [] : [number], mode);
  }
}
