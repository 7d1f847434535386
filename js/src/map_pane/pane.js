// The map pane on a page.

/** @import { Point, Tool } from "../shared/model" */
/** @import { MapModel } from "./traits" */

import { FrameTimer } from "../shared/frame_timer.js";
import { sketch } from "../shared/sketch.js";
import { ToolButtons } from "../shared/tool_buttons.js";
import { Camera } from "./camera.js";
import { Names } from "./names.js";
import { Pointer } from "./pointer.js";
import { Points } from "./points.js";
import { Renderer } from "./renderer.js";

const NO_WEBGL =
  "The map needs WebGL 2, which this browser does not offer: enable it in the settings, or try another browser.";
const REACH = 8; // how close the mouse must be to a point, in pixels
const REPORT_EVERY = 4; // frames: every message to Python makes JupyterLab redraw its page twice

/**
 * Makes the pane, or says that there is no WebGL.
 * @param {MapModel} model
 * @param {HTMLElement} el
 * @returns {() => void} closes the pane
 */
export function show(model, el) {
  el.classList.add("latentmap-map");
  const canvas = document.createElement("canvas");
  const gl = canvas.getContext("webgl2", { antialias: false, premultipliedAlpha: true });
  if (!gl) {
    el.textContent = NO_WEBGL;
    return () => {};
  }
  const pane = new Pane(model, el, canvas, gl);
  return () => pane.close();
}

export class Pane {
  /**
   * @param {MapModel} model
   * @param {HTMLElement} el
   * @param {HTMLCanvasElement} canvas
   * @param {WebGL2RenderingContext} gl
   */
  constructor(model, el, canvas, gl) {
    this.model = model;
    this.canvas = canvas;
    this.gl = gl;
    this.renderer = new Renderer(gl, model);
    this.points = new Points(model);
    this.camera = new Camera();
    /** Device pixels per CSS pixel; 0 until the pane has a size. */
    this.ratio = 0;
    this.hovered = -1;
    /** What of the model must be read before the next frame. @type {Set<"points" | "lines" | "flags" | "guests" | "field">} */
    this.stale = new Set();
    /** The last frame that was reported to Python. */
    this.reported = -Infinity;
    /** @type {number | undefined} */
    this.waiting = undefined;
    /** @type {number | undefined} */
    this.telling = undefined;

    // SVG instead of a second canvas: in Chromium without a graphics card, cleared lines sometimes came back there.
    const holder = document.createElement("div");
    holder.innerHTML = '<svg tabindex="0"><path class="sketch"/></svg>';
    this.overlay = holder.getElementsByTagName("svg")[0];
    this.outline = holder.getElementsByTagName("path")[0];
    this.names = new Names(this.overlay);
    this.abort = new AbortController();
    this.tools = new ToolButtons(
      "Drag to move the map; a map with three axes rotates instead, and moves with Shift held.",
      (tool) => {
        model.set("tool", tool);
        model.save_changes();
      },
      () => this.fit(),
      this.abort.signal,
    );
    this.box = document.createElement("div");
    this.box.className = "latentmap-canvases";
    this.box.append(canvas, this.overlay);
    el.append(this.tools.element, this.box);
    this.timer = new FrameTimer(gl, this.box);
    this.listen();
    this.takeView();
    this.loadPoints();
    this.showNames();
    this.showTool();
  }

  listen() {
    const { model } = this;
    const { signal } = this.abort;
    const pointer = new Pointer(this);
    const listeners = /** @type {const} */ ([
      ["change:frame", () => this.reload("points")],
      ["change:marks", () => this.reload("flags")],
      ["change:now", () => this.reload("flags")],
      ["change:lines", () => this.reload("lines")],
      ["change:guests", () => this.reload("guests")],
      ["change:field", () => this.reload("field")],
      ["change:size", () => this.redraw()],
      ["change:height", () => this.resize()],
      ["change:tool", () => this.showTool()],
      ["change:tool", () => pointer.giveUp()],
      ["change:view", () => this.takeView()],
      ["change:names", () => this.showNames()],
    ]);
    for (const [name, listener] of listeners) model.on(name, listener);
    // Wherever the focus is: the button that asked for the field has it.
    const tellEscape = (/** @type {KeyboardEvent} */ event) => {
      if (event.key !== "Escape" || !this.renderer.field.height || pointer.isDrawing) return;
      model.send({ kind: "escaped" });
    };
    document.addEventListener("keydown", tellEscape, { signal, capture: true });
    this.canvas.addEventListener("webglcontextlost", (event) => event.preventDefault(), { signal });
    this.canvas.addEventListener("webglcontextrestored", () => this.restore(), { signal });
    const observer = new ResizeObserver(() => this.resize());
    observer.observe(this.box);
    signal.addEventListener("abort", () => {
      observer.disconnect();
      for (const [name, listener] of listeners) model.off(name, listener);
    });
  }

  /** Takes over the view of Python, or of another map that is linked to this one. */
  takeView() {
    const { centre, zoom, turn } = this.model.get("view");
    this.camera.fit();
    if (centre && zoom) Object.assign(this.camera, { centre, zoom });
    if (turn && this.model.get("axes") === 3) this.camera.turn = turn; // a linked map may have only two axes
    this.redraw();
  }

  /** Shows the whole map. */
  fit() {
    this.camera.fit();
    this.look();
  }

  /** Shows what the camera sees, and sends the view to Python. */
  look() {
    this.redraw();
    this.telling ??= requestAnimationFrame(() => {
      this.telling = undefined;
      this.model.set("view", this.camera.view);
      this.model.save_changes();
    });
  }

  showTool() {
    const tool = this.model.get("tool");
    this.tools.update(tool);
    this.overlay.style.cursor = tool === "move" ? "grab" : "crosshair";
  }

  showNames() {
    this.names.show(this.model.get("names") ?? []);
    this.redraw();
  }

  /**
   * Reads the points, their tracks, which are marked, cells placed among them, or the field below them, before the next frame: some hosts set the traits of a message one by one.
   * @param {"points" | "lines" | "flags" | "guests" | "field"} what
   */
  reload(what) {
    this.stale.add(what);
    this.redraw();
  }

  loadPoints() {
    this.points.read();
    this.camera.half = this.model.get("half");
    this.renderer.load(this.points);
  }

  loadFlags() {
    this.points.readFlags();
    this.renderer.loadFlags(this.points);
  }

  loadLines() {
    this.points.readTimes();
    this.renderer.lines.load(this.points);
    this.loadFlags();
  }

  /** Uploads everything again after the WebGL context was lost. */
  restore() {
    this.renderer = new Renderer(this.gl, this.model);
    this.reload("points");
  }

  resize() {
    const given = this.model.get("height");
    this.box.style.flex = given ? `0 0 ${given}px` : "";
    const { clientWidth: width, clientHeight: height } = this.box;
    if (!width || !height) return;
    this.ratio = window.devicePixelRatio || 1;
    this.box.style.height = `${height}px`;
    this.canvas.width = width * this.ratio;
    this.canvas.height = height * this.ratio;
    Object.assign(this.camera, { width, height });
    this.redraw();
  }

  redraw() {
    this.waiting ??= requestAnimationFrame(() => {
      this.waiting = undefined;
      this.draw();
    });
  }

  draw() {
    if (!this.ratio || this.gl.isContextLost()) return;
    if (this.stale.has("points")) this.loadPoints();
    else if (this.stale.has("lines")) this.loadLines();
    else if (this.stale.has("flags")) this.loadFlags();
    if (this.stale.has("guests")) this.renderer.guests.load(this.points.axes);
    if (this.stale.has("field")) this.renderer.field.load();
    this.stale.clear();
    const start = performance.now();
    this.renderer.draw(this.points, this.camera, this.ratio);
    this.names.draw(this.camera);
    this.timer.drawn(start);
    const frame = this.model.get("frame");
    this.canvas.dataset.frame = String(frame);
    this.canvas.dataset.marks = String(this.model.get("marks"));
    this.canvas.dataset.points = String(this.renderer.drawn);
    this.canvas.dataset.lines = String(this.renderer.lines.all.count);
    this.canvas.dataset.path = String(this.renderer.lines.path.count);
    this.canvas.dataset.guests = String(this.renderer.guests.count);
    this.canvas.dataset.field = String(this.renderer.field.height);
    this.canvas.dataset.now = String(this.model.get("now"));
    // Python waits for this, so as not to send frames faster than they are drawn.
    if (frame - this.reported < REPORT_EVERY) return;
    this.model.send({ kind: "shown", frame });
    this.reported = frame;
  }

  /** @param {Point} point of the canvas */
  nearest(point) {
    return this.points.nearest(this.camera.toMap(point), REACH / this.camera.pixels, this.camera.turn);
  }

  /**
   * @param {Point[] | null} corners of what is being drawn
   * @param {Tool} [tool]
   */
  sketch(corners, tool) {
    sketch(this.outline, corners, tool);
  }

  /** @param {number} row of the point under the mouse, or -1 */
  hover(row) {
    if (row === this.hovered) return;
    this.hovered = row;
    this.model.send({ kind: "hovered", row, frame: this.points.frame });
  }

  close() {
    this.abort.abort();
    for (const request of [this.waiting, this.telling]) if (request !== undefined) cancelAnimationFrame(request);
    this.gl.getExtension("WEBGL_lose_context")?.loseContext();
  }
}
