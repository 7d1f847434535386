/** @import { Tile } from "./traits" */

/** The labels as the source of a tile; channels are numbered from 0. */
export const LABELS = -1;
/** The value of background pixels. */
export const NO_CELL = 0;
/** The value of cells that are not in the table. The value of any other cell is its number plus one. */
export const UNKNOWN_CELL = 0xffffffff;

/** @param {Tile} tile */
export function keyOf({ picture, source, level, frame, plane, row, column }) {
  return [picture, source, level, frame, plane, row, column].join();
}
