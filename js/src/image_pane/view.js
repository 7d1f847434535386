// The image pane on a page.

/** @import { Point, SelectionMode } from "../shared/model" */
/** @import { Drag } from "./pointer.js" */
/** @import { ImageModel, Tile } from "./traits" */

import { bytesOf } from "../shared/bytes.js";
import { make } from "../shared/element.js";
import { clamp } from "../shared/geometry.js";
import { BRUSH } from "../shared/sketch.js";
import { ChannelList } from "./channel_list.js";
import { fromHex } from "./formats.js";
import { Graphics } from "./graphics.js";
import { Outline } from "./outline.js";
import { Pointer } from "./pointer.js";
import { ScaleBar } from "./scale_bar.js";
import { Scene } from "./scene.js";
import { keyOf, LABELS } from "./tile.js";
import { TileGrid } from "./tile_grid.js";
import { TileLoader } from "./tile_loader.js";
import { Toolbar } from "./toolbar.js";

const NO_WEBGL =
  "The images need WebGL 2, which this browser does not offer: enable it in the settings, or try another browser.";

export class View {
  /**
   * @param {ImageModel} model
   * @param {HTMLElement} el
   */
  constructor(model, el) {
    this.model = model;
    this.abort = new AbortController();
    this.scene = new Scene(model);
    /** Tiles in view that have not arrived yet. @type {Tile[]} */
    this.missing = [];
    /** The number of the cell under the mouse. @type {number | null} */
    this.pointed = null;
    /** @type {number | null} */
    this.pending = null;
    /** Whether the tiles must be drawn again, not only the colours of the cells. */
    this.isDirty = true;
    this.nDrawn = 0;
    /** How often the cells of each picture were renumbered, and its images replaced. @type {[number, number][]} */
    this.versions = [];
    this.isClosed = false;

    const { signal } = this.abort;
    this.toolbar = new Toolbar(this.scene, signal);
    this.channels = new ChannelList(this.scene, signal);
    this.scaleBar = new ScaleBar();
    this.canvas = make("canvas", { tabindex: 0, "aria-label": "Image", "data-state": "waiting", "data-drawn": 0 });
    const outline = new Outline();
    this.pointer = new Pointer(this, this.canvas, (corners, tool) => outline.show(corners, tool), signal);
    this.box = make("div", { class: "box" }, this.canvas, outline.element, this.scaleBar.element);
    this.note = make("div", { class: "note", role: "status", hidden: "" });
    // With this attribute JupyterLab leaves key presses to the element.
    this.pane = make("div", { class: "latentmap-pane", "data-lm-suppress-shortcuts": "true" });
    this.pane.append(this.toolbar.element, this.box, this.note, this.channels.element);
    el.append(this.pane);

    /** @type {Graphics | null} */
    this.graphics = null;
    /** @type {TileLoader | null} */
    this.loader = null;
    if (!this.start()) return;
    this.loader = TileLoader.join(model, this);
    this.listen();
    this.update();
  }

  get tool() {
    return this.model.get("tool");
  }

  /** Sets up WebGL, at first and after its context was lost; returns whether that was possible. */
  start() {
    const gl = this.canvas.getContext("webgl2", { antialias: false, premultipliedAlpha: true });
    if (!gl) {
      this.say(NO_WEBGL);
      this.canvas.dataset.state = "failed";
      return false;
    }
    this.graphics = new Graphics(gl, this.box);
    this.sendColours();
    this.sendSelection();
    return true;
  }

  listen() {
    const { model } = this;
    const { signal } = this.abort;
    /** @param {() => void} act */
    const redrawAfter = (act) => () => {
      act();
      this.redrawCells();
    };
    const listeners = /** @type {const} */ ([
      ["change:_view", () => this.update()],
      ["change:_looks", () => this.update()],
      ["change:_pictures", () => this.renumber()],
      ["change:_colours", redrawAfter(() => this.sendColours())],
      ["change:_selected", redrawAfter(() => this.sendSelection())],
      ["change:opacity", redrawAfter(() => this.updateControls())],
      ["change:highlight", () => this.redrawCells()],
      ["change:height", () => this.resize()],
      ["change:tool", () => this.changeTool()],
    ]);
    for (const [name, listener] of listeners) model.on(name, listener);
    this.canvas.addEventListener("webglcontextlost", (event) => event.preventDefault(), { signal });
    this.canvas.addEventListener("webglcontextrestored", () => this.start() && this.update(), { signal });
    const observer = new ResizeObserver(() => this.resize());
    observer.observe(this.box);
    signal.addEventListener("abort", () => {
      observer.disconnect();
      for (const [name, listener] of listeners) model.off(name, listener);
    });
    this.versions = model.get("_pictures").map(({ version, pixels }) => [version, pixels]);
    this.resize();
  }

  close() {
    this.scene.save();
    this.isClosed = true;
    this.abort.abort();
    if (this.pending !== null) cancelAnimationFrame(this.pending);
    this.loader?.leave(this);
    this.graphics?.cache.dropIf(() => true);
    // Browsers keep about sixteen contexts; a page with more loses the oldest.
    this.graphics?.gl.getExtension("WEBGL_lose_context")?.loseContext();
    this.pane.remove();
  }

  /** @param {string} text */
  say(text) {
    this.note.textContent = text;
    this.note.hidden = !text;
  }

  resize() {
    const height = this.model.get("height");
    this.box.style.flex = height ? `0 0 ${height}px` : "";
    this.scene.width = this.box.clientWidth;
    this.scene.height = this.box.clientHeight;
    this.update();
  }

  /** Drops the tiles that hold old numbers of the cells, or old pixels. */
  renumber() {
    /** @type {[number, number][]} */
    const versions = this.model.get("_pictures").map(({ version, pixels }) => [version, pixels]);
    const before = this.versions;
    if (this.graphics) {
      this.graphics.cache.dropIf(({ picture, source }) => {
        const [version, pixels] = versions[picture];
        return (source === LABELS && version !== before[picture][0]) || pixels !== before[picture][1];
      });
      this.graphics.drawn = null;
    }
    this.versions = versions;
    this.update();
  }

  updateControls() {
    this.toolbar.update();
    this.channels.update();
  }

  changeTool() {
    this.pointer.giveUp();
    this.update();
  }

  /** Shows the values of the model. */
  update() {
    this.isDirty = true;
    this.updateControls();
    this.box.dataset.tool = this.tool;
    this.redrawCells();
  }

  sendColours() {
    this.graphics?.renderer.setColours(bytesOf(this.model.get("_colours")));
  }

  sendSelection() {
    const bits = bytesOf(this.model.get("_selected"));
    this.graphics?.renderer.setSelected(bits.some((byte) => byte !== 0) ? bits : new Uint8Array());
  }

  redrawCells() {
    this.canvas.dataset.state = "waiting";
    this.schedule();
  }

  schedule() {
    if (!this.isClosed) this.pending ??= requestAnimationFrame(() => this.draw());
  }

  draw() {
    if (this.pending !== null) cancelAnimationFrame(this.pending);
    this.pending = null;
    const { scene, graphics } = this;
    if (!graphics || !scene.width || !scene.height || graphics.gl.isContextLost()) return;
    const start = performance.now();
    if (this.isDirty) this.drawTiles(graphics);
    if (!graphics.drawn) return;
    const ratio = window.devicePixelRatio || 1;
    graphics.renderer.drawCells({
      opacity: this.model.get("opacity"),
      highlight: fromHex(this.model.get("highlight")),
      pointed: this.pointed,
      // A little thicker where pixels are large.
      line: Math.max(1, Math.round(ratio * clamp(scene.camera.zoom / 3, 1, 2))),
    });
    graphics.timer.drawn(start);
    this.canvas.dataset.drawn = String(++this.nDrawn);
    this.canvas.dataset.state = this.missing.length ? "waiting" : "ready";
  }

  /** @param {Graphics} graphics */
  drawTiles(graphics) {
    const { scene, canvas } = this;
    const { cache, renderer } = graphics;
    const ratio = window.devicePixelRatio || 1;
    const grid = new TileGrid(scene, ratio);
    const { tiles } = grid;
    cache.touch(tiles);
    cache.trim(tiles);
    this.missing = tiles.filter((tile) => !cache.has(tile));
    this.loader?.ask();
    this.scaleBar.update(scene);
    // What was drawn before stays until there is something everywhere: no frame is black, or half a picture.
    const isThere = grid.sources.every((source) => grid.cells.every((cell) => grid.find(source, cell, cache)));
    if (!isThere) return;
    this.isDirty = this.missing.length > 0;
    canvas.width = Math.round(scene.width * ratio);
    canvas.height = Math.round(scene.height * ratio);
    renderer.resize(canvas.width, canvas.height);
    renderer.drawTiles(grid, scene, cache);
    graphics.drawn = scene.view;
  }

  /**
   * @param {Tile} tile
   * @param {number[]} shape
   * @param {Uint8Array<ArrayBuffer> | null} bytes
   * @param {string} [error]
   */
  receive(tile, shape, bytes, error) {
    const { picture, source } = tile;
    const kind = source === LABELS ? "numbers" : this.model.get("_pictures")[picture].channels[source].kind;
    this.graphics?.cache.put(tile, kind, shape, bytes);
    this.missing = this.missing.filter((one) => keyOf(one) !== keyOf(tile));
    if (error) this.say(error);
    this.isDirty = true;
    this.schedule();
  }

  /**
   * The number of the cell at a point of the canvas; null until the frame in view is drawn.
   * @param {Point | null} point
   */
  cellAt(point) {
    if (this.isDirty) this.draw();
    const { scene, canvas } = this;
    const { picture, frame, plane } = scene.view;
    const drawn = this.graphics?.drawn;
    if (!point || !drawn || drawn.picture !== picture || drawn.frame !== frame || drawn.plane !== plane) return null;
    const x = clamp(Math.floor((point[0] * canvas.width) / scene.width), 0, canvas.width - 1);
    const y = clamp(Math.floor((point[1] * canvas.height) / scene.height), 0, canvas.height - 1);
    return this.graphics?.renderer.numberAt(x, y) ?? null;
  }

  /** @param {Point | null} point where the mouse is */
  hover(point) {
    const number = this.cellAt(point);
    if (number === this.pointed) return;
    this.pointed = number;
    this.model.send({ type: "hover", number });
    this.schedule();
  }

  /**
   * @param {Point} point
   * @param {SelectionMode} mode
   */
  click(point, mode) {
    this.scene.save();
    this.model.send({ type: "click", number: this.cellAt(point), mode });
  }

  /** @param {Pick<Drag, "tool" | "mode" | "points">} drag what was drawn */
  finish({ tool, mode, points }) {
    const { picture, frame, plane } = this.scene.view;
    const corners = points.map(([x, y]) => {
      const { row, column } = this.scene.toPicture(x, y);
      return /** @type {Point} */ ([row, column]);
    });
    const radius = tool === "brush" ? { radius: BRUSH / this.scene.camera.zoom } : {};
    this.scene.save();
    this.model.send({ type: "drawn", picture, frame, plane, tool, mode, corners, ...radius });
  }
}
