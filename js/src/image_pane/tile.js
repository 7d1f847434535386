/** @import { Tile } from "./traits" */

/** The labels, where channels are numbered. */
export const LABELS = -1;
/** The number of pixels beside all cells. */
export const NO_CELL = 0;
/** The number of cells that the table does not have. The number of any other cell is one more than its place. */
export const UNKNOWN_CELL = 0xffffffff;

/** @param {Tile} tile */
export function keyOf({ picture, source, level, frame, plane, row, column }) {
  return [picture, source, level, frame, plane, row, column].join();
}
