/** @import { SelectionMode } from "./model" */

/**
 * How the modifier keys change the selection, the same everywhere in latentmap.
 * @param {Pick<MouseEvent, "shiftKey" | "ctrlKey" | "metaKey" | "altKey">} event
 * @returns {SelectionMode}
 */
export function selectionMode(event) {
  const subtracts = event.ctrlKey || event.metaKey || event.altKey;
  if (event.shiftKey) return subtracts ? "intersect" : "add";
  return subtracts ? "subtract" : "replace";
}
