// A list of names to tick, with a search field, and buttons for all that are found.

/** @import { Model } from "../shared/model" */

import { find, tick, untick } from "./choice.js";

/**
 * The traits of `latentmap.jupyter.feature_list.FeatureList`.
 * @typedef {{ names: string[], chosen: string[] }} Traits
 */

/** @param {{ model: Model<Traits>, el: HTMLElement }} context */
function render({ model, el }) {
  el.classList.add("latentmap-tick-list");
  const search = document.createElement("input");
  search.type = "search";
  search.placeholder = "Search";
  search.setAttribute("aria-label", "Search");
  const list = document.createElement("div");
  list.className = "latentmap-names";
  const count = document.createElement("span");

  const found = () => find(model.get("names"), search.value);
  /** @param {typeof tick} change @param {string[]} names */
  const choose = (change, names) => {
    model.set("chosen", change(model.get("names"), model.get("chosen"), names));
    model.save_changes();
  };

  const head = document.createElement("div");
  head.className = "latentmap-head";
  head.append(
    search,
    button("all", "Tick all that are listed.", () => choose(tick, found())),
    button("none", "Untick all that are listed.", () => choose(untick, found())),
  );

  /** @param {string} name */
  const line = (name) => {
    const label = document.createElement("label");
    const box = document.createElement("input");
    box.type = "checkbox";
    box.value = name;
    box.onchange = () => choose(box.checked ? tick : untick, [name]);
    label.append(box, ` ${name}`);
    label.title = name;
    return label;
  };
  const showTicks = () => {
    const chosen = new Set(model.get("chosen"));
    for (const box of list.querySelectorAll("input")) box.checked = chosen.has(box.value);
    const names = model.get("names");
    const ticked = names.filter((name) => chosen.has(name)).length;
    count.textContent = names.length ? `${ticked} of ${names.length} ticked` : "";
  };
  const show = () => {
    list.replaceChildren(...found().map(line));
    if (!model.get("names").length) list.textContent = "No features yet.";
    else if (!list.children.length) list.textContent = "None is called so.";
    showTicks();
  };

  search.oninput = show;
  model.on("change:names", show);
  model.on("change:chosen", showTicks);
  el.append(head, list, count);
  show();
  return () => {
    model.off("change:names", show);
    model.off("change:chosen", showTicks);
  };
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

export default { render };
