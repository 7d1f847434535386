// How far to scroll.

/** @typedef {{ top: number, bottom: number }} Extent */

/**
 * The pixels to scroll until all of a part is in view or, if it is too high, its beginning.
 * @param {Extent} view
 * @param {Extent} part
 */
export function scrollBy(view, part) {
  const up = part.top - view.top;
  return up < 0 ? up : Math.min(Math.max(part.bottom - view.bottom, 0), up);
}
