// Groups with their colours: a click picks one, a double click renames it if it can be renamed.

/** @import { Model, SelectionMode } from "../shared/model" */

import { selectionMode } from "../shared/selection_mode.js";

/**
 * The traits of `latentmap.jupyter.legend.GroupList`.
 * @typedef {{ names: string[], colours: string[], can_rename: boolean, about: string }} Traits
 */

/**
 * @typedef {{ kind: "picked", name: string, mode: SelectionMode } | { kind: "renamed", name: string, to: string }} Message
 */

/** @typedef {Model<Traits, Message>} LegendModel */

const EVENTS = /** @type {const} */ (["change:names", "change:colours", "change:can_rename", "change:about"]);

export class GroupList {
  /**
   * @param {Pick<LegendModel, "get" | "on" | "off" | "send">} model
   * @param {HTMLElement} el
   */
  constructor(model, el) {
    this.model = model;
    this.list = document.createElement("div");
    this.list.className = "latentmap-groups";
    el.append(this.list);
    this.listener = () => this.show();
    for (const event of EVENTS) model.on(event, this.listener);
    this.show();
  }

  show() {
    const [names, colours] = [this.model.get("names"), this.model.get("colours")];
    this.list.replaceChildren(...names.map((name, at) => this.line(name, colours[at])));
  }

  /**
   * @param {string} name
   * @param {string} colour
   */
  line(name, colour) {
    const line = document.createElement("button");
    line.type = "button";
    line.title = this.model.get("about");
    const swatch = document.createElement("span");
    swatch.style.background = colour;
    line.append(swatch, name);
    line.onclick = (event) => this.model.send({ kind: "picked", name, mode: selectionMode(event) });
    line.ondblclick = () => this.edit(line, name);
    line.onkeydown = (event) => {
      if (event.key === "F2") this.edit(line, name);
    };
    return line;
  }

  /**
   * Opens a field for the new name of a group, in place of its line.
   * @param {HTMLElement} line
   * @param {string} name
   */
  edit(line, name) {
    if (!this.model.get("can_rename")) return;
    const field = document.createElement("input");
    field.value = name;
    field.setAttribute("aria-label", `New name of "${name}"`);
    let isOpen = true;
    /** @param {boolean} kept */
    const finish = (kept) => {
      if (!isOpen) return; // removing the field blurs it
      isOpen = false;
      if (field.isConnected) field.replaceWith(line);
      if (kept && field.value !== name) this.model.send({ kind: "renamed", name, to: field.value });
    };
    field.onblur = () => finish(true);
    field.onkeydown = (event) => {
      event.stopPropagation(); // keys are commands of the notebook
      if (event.key === "Enter") finish(true);
      if (event.key === "Escape") finish(false);
    };
    line.replaceWith(field);
    field.focus();
    field.select();
  }

  close() {
    for (const event of EVENTS) this.model.off(event, this.listener);
  }
}
