// Where the pictures lie in rows, and which of them are visible.

export const SIDE = 64; // of a picture, in CSS pixels
const GAP = 6;
const CAPTION = 16; // height
const ROW = SIDE + CAPTION + GAP;

export class Layout {
  /**
   * @param {number} count
   * @param {number} width of the box, in pixels
   */
  constructor(count, width) {
    this.count = count;
    this.columns = Math.max(1, Math.floor((width + GAP) / (SIDE + GAP)));
  }

  /** The height of all rows together, in pixels. */
  get height() {
    return Math.ceil(this.count / this.columns) * ROW;
  }

  /**
   * The first visible place, and the one after the last.
   * @param {number} top how far the box is scrolled down, in pixels
   * @param {number} height of the box
   */
  inSight(top, height) {
    const first = Math.floor(top / ROW) * this.columns;
    return [first, Math.min(this.count, Math.ceil((top + height) / ROW) * this.columns)];
  }

  /**
   * The top left corner of a picture, in pixels.
   * @param {number} place
   */
  corner(place) {
    return { left: (place % this.columns) * (SIDE + GAP), top: Math.floor(place / this.columns) * ROW };
  }
}
