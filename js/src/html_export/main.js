// A page without a kernel: the panes of the notebook show data stored in the page, and this script does what the kernel
// does for them in a notebook.

/** @import { PageData } from "./data" */

import imagePane from "../image_pane/main.js";
import mapPane from "../map_pane/main.js";
import { Card } from "./card.js";
import { LinkedImages } from "./linked_images.js";
import { LinkedMap } from "./linked_map.js";
import { unpackAll } from "./packed_array.js";
import { Selection } from "./selection.js";

/** @param {string} selector */
function find(selector) {
  const element = document.querySelector(selector);
  if (!(element instanceof HTMLElement)) throw new Error(`The page has no ${selector}.`);
  return element;
}

const data = /** @type {PageData} */ (await unpackAll(JSON.parse(find("#data").textContent ?? "")));
const selection = new Selection(data.cells.n);
const card = new Card(data.cells, find("#card"));
for (const [place, map] of data.maps.entries())
  mapPane.render({ model: new LinkedMap(map, selection, card).model, el: find(`[data-map="${place}"]`) });
if (data.image) imagePane.render({ model: new LinkedImages(data.image, selection, card).model, el: find("#image") });
for (const button of document.querySelectorAll("button[data-group]"))
  button.addEventListener("click", () => selection.choose(data.groups[Number(button.getAttribute("data-group"))]));
selection.views.push(() => {
  const { count } = selection;
  find("#selected").textContent = `${count} ${count === 1 ? "cell" : "cells"} selected`;
});
selection.choose(data.selected);
