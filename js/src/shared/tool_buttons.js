// The buttons for what dragging does, and one that shows everything: maps and images have the same.

/** @import { Tool } from "./model" */

import { icon, make } from "./element.js";

const ALWAYS = "With any tool, dragging with the middle mouse button, or with the space bar held, moves.";
const POLYGON =
  "Click to set corners; a click on the first one, a double click or the right mouse button closes the polygon, Escape discards it.";
const MODES = "Hold Shift to add them to the selection, Ctrl or Alt to remove them.";

export class ToolButtons {
  /**
   * @param {string} moving what dragging does with the tool "move"
   * @param {(tool: Tool) => void} choose
   * @param {() => void} fit shows everything
   * @param {AbortSignal} signal
   */
  constructor(moving, choose, fit, signal) {
    /** @type {[Tool, string, string][]} */
    const tools = [
      ["move", "Move", `${moving} The wheel zooms. ${ALWAYS}`],
      ["lasso", "Lasso", `Draw around cells. ${MODES} ${ALWAYS}`],
      ["polygon", "Polygon", `${POLYGON} ${MODES} ${ALWAYS}`],
      ["rectangle", "Rectangle", `Drag over cells. ${MODES} ${ALWAYS}`],
      ["brush", "Brush", `Paint over cells. ${MODES} ${ALWAYS}`],
    ];
    this.buttons = tools.map(([tool, name, about]) => {
      const button = make("button", { type: "button", title: `${name}: ${about}`, "aria-label": name }, icon(tool));
      button.addEventListener("click", () => choose(tool), { signal });
      return { tool, button };
    });
    const title = "Show all (or double-click)";
    const all = make("button", { type: "button", title, "aria-label": "Show all" }, icon("fit"));
    all.addEventListener("click", fit, { signal });
    const group = make("span", { role: "group", "aria-label": "What dragging does" });
    group.append(...this.buttons.map(({ button }) => button));
    this.element = make("span", { class: "latentmap-tools" }, group, all);
  }

  /** @param {Tool} chosen */
  update(chosen) {
    for (const { tool, button } of this.buttons) button.setAttribute("aria-pressed", String(tool === chosen));
  }
}
