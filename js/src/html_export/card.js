// A card next to the mouse, with what is known about the cell under it.

/** @import { Point } from "../shared/model" */
/** @import { Cells, Column } from "./data" */

const LARGE = 1e6;
const GAP = 14; // between the mouse and the card, in pixels

/**
 * The entry of a column for a cell: a number with three digits, or in full if it is whole and below a million; or a
 * word.
 * @param {Column} column
 * @param {number} number
 */
export function written(column, number) {
  if (!column.values) return column.words[column.codes[number]] ?? column.absent;
  const value = column.values[number];
  if (Number.isNaN(value)) return column.absent;
  if (Math.abs(value) < LARGE) return String(Number.isInteger(value) ? value : Number(value.toPrecision(3)));
  // Rounded, it must not look as if it were exact.
  return Number(value.toPrecision(3)).toExponential();
}

/**
 * The top left corner of a card: below the mouse and to its right, if there is room.
 * @param {Point} mouse
 * @param {Point} size of the card
 * @param {Point} window size of the window
 */
export function cornerBeside(mouse, size, window) {
  return mouse.map((at, axis) => Math.max(0, at + GAP + size[axis] <= window[axis] ? at + GAP : at - GAP - size[axis]));
}

export class Card {
  /**
   * @param {Cells} cells
   * @param {HTMLElement} element
   */
  constructor(cells, element) {
    this.cells = cells;
    this.element = element;
    this.hasFrames = cells.frames.some((frame) => frame !== 0n);
    /** @type {Point} */
    this.mouse = [0, 0];
    document.addEventListener("pointermove", ({ clientX, clientY }) => {
      this.mouse = [clientX, clientY];
      this.place();
    });
  }

  /** @param {number | null} number */
  show(number) {
    this.element.hidden = number === null;
    if (number === null) return;
    const { labels, frames, layers, columns } = this.cells;
    const head = document.createElement("b");
    head.textContent = `Label ${labels[number]}`;
    const where = document.createElement("div");
    const layer = layers.words[layers.codes[number]];
    where.textContent = this.hasFrames ? `${layer}, frame ${frames[number]}` : layer;
    const values = document.createElement("table");
    for (const column of columns) {
      const row = values.insertRow();
      row.insertCell().textContent = column.name;
      row.insertCell().textContent = written(column, number);
    }
    this.element.replaceChildren(head, where, values);
    this.place();
  }

  place() {
    const { offsetWidth, offsetHeight, style } = this.element;
    const [left, top] = cornerBeside(this.mouse, [offsetWidth, offsetHeight], [window.innerWidth, window.innerHeight]);
    style.left = `${left}px`;
    style.top = `${top}px`;
  }
}
