// The plot of features on a page: the picture of the cells comes from Python, axes and gates are drawn here.

/** @import { Point } from "../shared/model" */
/** @import { Bytes, Limits, Outline, PlotAnswer, PlotModel } from "./traits" */

import { bytesOf } from "../shared/bytes.js";
import { icon, make } from "../shared/element.js";
import { Axes } from "./axes.js";
import { Pointer } from "./pointer.js";

const SVG = "http://www.w3.org/2000/svg";
const TICK = 4;
const LONGEST_NAME = 40;

export class FeaturePlot {
  /**
   * @param {PlotModel} model
   * @param {HTMLElement} el
   */
  constructor(model, el) {
    this.model = model;
    this.axes = new Axes();
    /** The picture last received. @type {Extract<PlotAnswer, { kind: "picture" }> | null} */
    this.drawn = null;
    /** @type {ImageBitmap | null} */
    this.bitmap = null;
    /** @type {Outline[]} */
    this.outlines = [];
    /** What is being drawn. @type {{ paths: Point[][], closed: boolean }} */
    this.sketched = { paths: [], closed: false };
    /** The part that the user has brought into view; null for all. @type {Limits | null} */
    this.wanted = null;
    this.isAsking = false;
    this.isStale = false;
    this.abort = new AbortController();
    el.classList.add("latentmap-feature-plot");
    this.tools = make("span", { class: "latentmap-tools" });
    this.box = make("div", { class: "latentmap-plot" });
    this.canvas = make("canvas");
    this.overlay = document.createElementNS(SVG, "svg");
    this.overlay.setAttribute("tabindex", "0");
    this.overlay.setAttribute("role", "img");
    this.overlay.setAttribute("aria-label", "Plot of features");
    this.box.append(this.canvas, this.overlay);
    el.append(this.tools, this.box);
    this.pointer = new Pointer(this);
    this.listen();
    this.showTools();
  }

  get isHistogram() {
    return this.drawn?.histogram ?? false;
  }

  /** The gate that can be dragged. */
  get current() {
    return this.outlines.find((outline) => outline.current);
  }

  listen() {
    const { model } = this;
    const refit = () => {
      this.pointer.giveUp();
      this.wanted = null;
      this.ask();
    };
    const changeTool = () => {
      this.pointer.giveUp();
      this.showTools();
    };
    const listeners = /** @type {const} */ ([
      ["change:version", () => this.ask()],
      ["change:fits", refit],
      ["change:tool", changeTool],
      ["change:_tools", () => this.showTools()],
    ]);
    for (const [name, listener] of listeners) model.on(name, listener);
    const hear = (/** @type {PlotAnswer} */ answer, /** @type {Bytes[]} */ buffers) => this.hear(answer, buffers);
    model.on("msg:custom", hear);
    const observer = new ResizeObserver(() => this.resize());
    observer.observe(this.box);
    this.abort.signal.addEventListener("abort", () => {
      observer.disconnect();
      for (const [name, listener] of listeners) model.off(name, listener);
      model.off("msg:custom", hear);
    });
  }

  showTools() {
    const { model } = this;
    const group = make("span", { role: "group", "aria-label": "What dragging does" });
    for (const [tool, label, about] of model.get("_tools")) {
      const attributes = { type: "button", title: `${label}: ${about}`, "aria-label": label };
      const button = make("button", { ...attributes, "aria-pressed": String(tool === model.get("tool")) }, icon(tool));
      button.onclick = () => {
        model.set("tool", tool);
        model.save_changes();
      };
      group.append(button);
    }
    const [label, about] = model.get("_fit");
    const all = make("button", { type: "button", title: `${label}: ${about}`, "aria-label": label }, icon("fit"));
    all.onclick = () => this.look(null);
    this.tools.replaceChildren(group, all);
  }

  resize() {
    const [width, height] = [this.box.clientWidth, this.model.get("height")];
    if (!width) return;
    this.box.style.height = `${height}px`;
    Object.assign(this.axes, { width, height });
    this.ask();
  }

  /**
   * Brings this part into view; null for all.
   * @param {Limits | null} limits
   */
  look(limits) {
    this.wanted = limits;
    if (limits) this.axes.limits = limits;
    this.draw();
    this.ask();
  }

  /** Asks for the picture of what is in view, one at a time; a plot out of sight asks when it comes into view. */
  ask() {
    if (!this.box.clientWidth) return;
    this.isStale = this.isAsking;
    if (this.isAsking) return;
    this.isAsking = true;
    const { width, height } = this.axes.area;
    const scale = window.devicePixelRatio || 1;
    this.model.send({ kind: "wanted", limits: this.wanted, size: [width * scale, height * scale], scale });
  }

  /**
   * @param {PlotAnswer} answer
   * @param {Bytes[]} buffers
   */
  async hear(answer, buffers) {
    if (answer.kind === "outlines") {
      this.outlines = answer.outlines;
      this.draw();
      return;
    }
    this.isAsking = false;
    const bitmap = await createImageBitmap(new Blob([bytesOf(buffers[0])], { type: "image/png" }));
    if (this.abort.signal.aborted) return;
    this.bitmap?.close();
    Object.assign(this, { bitmap, drawn: answer, outlines: answer.outlines });
    this.axes.limits = this.wanted ?? answer.limits;
    this.draw();
    this.canvas.dataset.version = String(this.model.get("version"));
    if (this.isStale) this.ask();
  }

  /**
   * @param {Point[][]} paths
   * @param {boolean} closed
   */
  sketch(paths, closed) {
    this.sketched = { paths, closed };
    this.draw();
  }

  draw() {
    if (!this.drawn || !this.bitmap) return;
    this.drawCells(this.drawn.limits, this.bitmap);
    this.overlay.replaceChildren(...this.frame(this.drawn), this.gates());
  }

  /**
   * Draws the last picture where its part of the plot lies now.
   * @param {Limits} limits
   * @param {ImageBitmap} bitmap
   */
  drawCells([left, right, bottom, top], bitmap) {
    const ratio = window.devicePixelRatio || 1;
    const { canvas, axes } = this;
    const [width, height] = [Math.round(axes.width * ratio), Math.round(axes.height * ratio)];
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    const context = canvas.getContext("2d");
    if (!context) return;
    const { x, y, width: inner, height: high } = axes.area;
    const [start, end] = [axes.toPixel([left, top]), axes.toPixel([right, bottom])];
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, axes.width, axes.height);
    context.save();
    context.beginPath();
    context.rect(x, y, inner, high);
    context.clip();
    context.drawImage(bitmap, start[0], start[1], end[0] - start[0], end[1] - start[1]);
    context.restore();
  }

  /**
   * The box, ticks and titles.
   * @param {Extract<PlotAnswer, { kind: "picture" }>} drawn
   */
  frame({ ticks, titles }) {
    const { axes } = this;
    const { x, y, width, height } = axes.area;
    const parts = [shape("rect", { class: "frame", x, y, width, height })];
    for (const [at, label] of ticks[0]) {
      const [px] = axes.toPixel([at, axes.limits[2]]);
      if (px < x || px > x + width) continue;
      parts.push(shape("path", { class: "frame", d: `M${px} ${y + height}v${TICK}` }));
      parts.push(text(label, px, y + height + 15, "middle"));
    }
    for (const [at, label] of ticks[1]) {
      const [, py] = axes.toPixel([axes.limits[0], at]);
      if (py < y || py > y + height) continue;
      parts.push(shape("path", { class: "frame", d: `M${x} ${py}h${-TICK}` }));
      parts.push(text(label, x - TICK - 3, py + 4, "end"));
    }
    parts.push(text(titles[0], x + width / 2, axes.height - 5, "middle"));
    const upwards = text(titles[1], 0, 0, "middle");
    upwards.setAttribute("transform", `translate(11 ${y + height / 2}) rotate(-90)`);
    return [...parts, upwards];
  }

  gates() {
    const { axes } = this;
    const { x, y, width, height } = axes.area;
    const group = document.createElementNS(SVG, "svg");
    for (const [name, value] of Object.entries({ x, y, width, height, viewBox: `${x} ${y} ${width} ${height}` }))
      group.setAttribute(name, String(value));
    for (const { paths, closed, handles, name, colour, current } of this.outlines) {
      for (const path of paths) {
        const points = path.map((at) => axes.toPixel(at)).join(" ");
        const line = shape(closed ? "polygon" : "polyline", { points, stroke: colour });
        line.setAttribute("class", current ? "gate current" : "gate");
        if (current && closed) line.setAttribute("fill", colour);
        group.append(line);
      }
      if (current)
        for (const at of handles) {
          const [cx, cy] = axes.toPixel(at);
          group.append(shape("circle", { class: "handle", cx, cy, r: 4, stroke: colour }));
        }
      if (name && name.length < LONGEST_NAME) {
        const corners = paths[0].map((at) => axes.toPixel(at));
        const [left, up] = [Math.min(...corners.map(([px]) => px)), Math.min(...corners.map(([, py]) => py))];
        group.append(text(name, Math.max(left, x) + 4, Math.max(up, y) + 13, "start"));
      }
    }
    for (const path of this.sketched.paths) {
      const points = path.map((at) => axes.toPixel(at)).join(" ");
      group.append(shape(this.sketched.closed ? "polygon" : "polyline", { class: "gate sketch", points }));
    }
    return group;
  }

  close() {
    this.abort.abort();
    this.bitmap?.close();
  }
}

/**
 * @param {string} tag
 * @param {Record<string, string | number>} attributes
 */
function shape(tag, attributes) {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  return element;
}

/**
 * @param {string} words
 * @param {number} x
 * @param {number} y
 * @param {"start" | "middle" | "end"} anchor
 */
function text(words, x, y, anchor) {
  const element = shape("text", { x, y, "text-anchor": anchor });
  element.textContent = words;
  return element;
}
