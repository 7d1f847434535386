// Pictures of cells in rows. Only visible ones are requested, a few at a time, and more once those have arrived.

/** @import { Bytes } from "../shared/model" */
/** @import { GalleryModel, Key, PicturesAnswer } from "./traits" */

import { bytesOf } from "../shared/bytes.js";
import { Layout, SIDE } from "./layout.js";
import { opaquePixels } from "./pixels.js";

const BATCH_SIZE = 12; // pictures per request

/** @typedef {{ element: HTMLElement, canvas: HTMLCanvasElement, caption: HTMLElement }} Figure */

export class Gallery {
  /**
   * @param {GalleryModel} model
   * @param {HTMLElement} el
   */
  constructor(model, el) {
    this.model = model;
    /** By the cell's place in the gallery. @type {Map<number, Figure>} */
    this.figures = new Map();
    this.isAsking = false;
    this.version = model.get("version");
    el.classList.add("latentmap-gallery");
    this.headline = document.createElement("span");
    this.order = document.createElement("select");
    this.order.title = model.get("_about");
    this.order.setAttribute("aria-label", "order");
    this.order.append(...model.get("_orders").map((name) => new Option(name)));
    this.order.onchange = () => {
      model.set("order", this.order.value);
      model.save_changes();
    };
    const head = document.createElement("div");
    head.className = "latentmap-head";
    head.append(this.headline, this.order);
    this.box = document.createElement("div");
    this.box.className = "latentmap-figures";
    this.room = document.createElement("div"); // as tall as all rows together
    this.box.append(this.room);
    this.box.onscroll = () => this.arrange();
    el.append(head, this.box);
    this.observer = new ResizeObserver(() => this.arrange());
    this.observer.observe(this.box);
    this.renewListener = () => this.renew();
    /** @param {PicturesAnswer} answer @param {Bytes[]} buffers */
    this.answerListener = (answer, buffers) => this.receive(answer, buffers);
    model.on("change:version", this.renewListener);
    model.on("msg:custom", this.answerListener);
    this.renew();
  }

  /** Shows other cells. */
  renew() {
    const { model } = this;
    for (const { element } of this.figures.values()) element.remove();
    this.figures.clear();
    this.isAsking = false;
    this.version = model.get("version");
    this.headline.textContent = model.get("headline");
    this.order.value = model.get("order");
    const display = model.get("count") > 0 ? "" : "none";
    this.order.style.display = display;
    this.box.style.visibility = display ? "hidden" : "";
    this.box.scrollTop = 0;
    this.arrange();
  }

  /** Puts a figure at every visible place, and requests the pictures. */
  arrange() {
    const { box } = this;
    const count = this.model.get("count");
    if (!box.clientWidth || !count) return;
    const layout = new Layout(count, box.clientWidth);
    this.room.style.height = `${layout.height}px`;
    const [first, end] = layout.inSight(box.scrollTop, box.clientHeight);
    for (const [place, { element }] of this.figures) {
      if (place >= first && place < end) continue;
      element.remove();
      this.figures.delete(place);
    }
    for (let place = first; place < end; place++) {
      const { element } = this.figures.get(place) ?? this.add(place);
      const { left, top } = layout.corner(place);
      element.style.left = `${left}px`;
      element.style.top = `${top}px`;
    }
    this.ask();
  }

  /**
   * @param {number} place
   * @returns {Figure}
   */
  add(place) {
    const element = document.createElement("figure");
    const canvas = document.createElement("canvas");
    const caption = document.createElement("figcaption");
    canvas.style.width = `${SIDE}px`;
    canvas.style.height = `${SIDE}px`;
    element.append(canvas, caption);
    element.onclick = () => this.model.send({ kind: "clicked", version: this.version, place });
    this.room.append(element);
    const figure = { element, canvas, caption };
    this.figures.set(place, figure);
    return figure;
  }

  ask() {
    const places = [...this.figures].filter(([, { element }]) => !element.title).map(([place]) => place);
    if (this.isAsking || !places.length) return;
    this.isAsking = true;
    const size = Math.round(SIDE * (window.devicePixelRatio || 1));
    this.model.send({ kind: "wanted", version: this.version, places: places.slice(0, BATCH_SIZE), size });
  }

  /**
   * @param {PicturesAnswer} answer
   * @param {Bytes[]} buffers
   */
  receive({ version, places, size, keys, seen }, buffers) {
    if (version !== this.version) return;
    this.isAsking = false;
    const bytes = bytesOf(buffers[0]);
    let start = 0;
    for (const [at, place] of places.entries()) {
      const pixels = seen[at] ? opaquePixels(bytes, start, size) : null;
      start += pixels ? 3 * size * size : 0;
      const figure = this.figures.get(place);
      if (!figure) continue; // scrolled out of sight meanwhile
      const { element, canvas, caption } = figure;
      element.title = describe(keys[at]);
      caption.textContent = String(keys[at][2]);
      Object.assign(canvas, { width: size, height: size });
      if (pixels) canvas.getContext("2d")?.putImageData(new ImageData(pixels, size, size), 0, 0);
    }
    this.ask();
  }

  close() {
    this.model.off("change:version", this.renewListener);
    this.model.off("msg:custom", this.answerListener);
    this.observer.disconnect();
  }
}

/** @param {Key} key */
function describe([layer, frame, label]) {
  return `Label ${label} in "${layer}", frame ${frame}. Click to go to the cell.`;
}
