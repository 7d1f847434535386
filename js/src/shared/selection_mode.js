/** @import { SelectionMode } from "./model" */

/**
 * What the keys held mean for the selection, the same everywhere in latentmap.
 * @param {Pick<MouseEvent, "shiftKey" | "ctrlKey" | "metaKey" | "altKey">} event
 * @returns {SelectionMode}
 */
export function selectionMode(event) {
  const takesAway = event.ctrlKey || event.metaKey || event.altKey;
  if (event.shiftKey) return takesAway ? "intersect" : "add";
  return takesAway ? "subtract" : "replace";
}
