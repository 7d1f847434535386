// A list of names to tick, with a search field, and buttons that tick or untick all names listed.

/** @import { Model } from "../shared/model" */

import { find, tick, untick } from "./choice.js";

/**
 * The traits of `latentmap.jupyter.feature_list.FeatureList`.
 * @typedef {{ names: string[], chosen: string[] }} Traits
 */

export class TickList {
  /**
   * @param {Model<Traits>} model
   * @param {HTMLElement} el
   */
  constructor(model, el) {
    this.model = model;
    el.classList.add("latentmap-tick-list");
    this.search = document.createElement("input");
    this.search.type = "search";
    this.search.placeholder = "Search";
    this.search.setAttribute("aria-label", "Search");
    this.search.oninput = () => this.show();
    this.list = document.createElement("div");
    this.list.className = "latentmap-names";
    this.count = document.createElement("span");
    const head = document.createElement("div");
    head.className = "latentmap-head";
    head.append(
      this.search,
      button("all", "Tick all features listed here.", () => this.choose(tick, this.found)),
      button("none", "Untick all features listed here.", () => this.choose(untick, this.found)),
    );
    el.append(head, this.list, this.count);
    this.showListener = () => this.show();
    this.ticksListener = () => this.showTicks();
    model.on("change:names", this.showListener);
    model.on("change:chosen", this.ticksListener);
    this.show();
  }

  get found() {
    return find(this.model.get("names"), this.search.value);
  }

  /**
   * @param {typeof tick} change
   * @param {string[]} names
   */
  choose(change, names) {
    const { model } = this;
    model.set("chosen", change(model.get("names"), model.get("chosen"), names));
    model.save_changes();
  }

  show() {
    this.list.replaceChildren(...this.found.map((name) => this.line(name)));
    if (!this.model.get("names").length) this.list.textContent = "No features yet.";
    else if (!this.list.children.length) this.list.textContent = "No feature matches.";
    this.showTicks();
  }

  /** @param {string} name */
  line(name) {
    const label = document.createElement("label");
    const box = document.createElement("input");
    box.type = "checkbox";
    box.value = name;
    box.onchange = () => this.choose(box.checked ? tick : untick, [name]);
    label.append(box, ` ${name}`);
    label.title = name;
    return label;
  }

  showTicks() {
    const chosen = new Set(this.model.get("chosen"));
    for (const box of this.list.querySelectorAll("input")) box.checked = chosen.has(box.value);
    const names = this.model.get("names");
    const ticked = names.filter((name) => chosen.has(name)).length;
    this.count.textContent = names.length ? `${ticked} of ${names.length} ticked` : "";
  }

  close() {
    this.model.off("change:names", this.showListener);
    this.model.off("change:chosen", this.ticksListener);
  }
}

/**
 * @param {string} text
 * @param {string} title
 * @param {() => void} act
 */
function button(text, title, act) {
  const made = document.createElement("button");
  made.textContent = text;
  made.title = title;
  made.onclick = act;
  return made;
}
