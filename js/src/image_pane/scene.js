// The picture in view, and which part of it is visible on the canvas.
//
// Positions in a picture are rows and columns of its highest resolution; whole numbers are the centres of pixels. All
// views of a pane show the same part, because it is a trait of the model; each has only its own canvas size.

/** @import { ImageModel, ImageTraits, Look, View } from "./traits" */
/** @import { Point } from "../shared/model" */

import { clamp } from "../shared/geometry.js";
import { LABELS } from "./tile.js";

const SAVE_EVERY = 150; // milliseconds
const LARGEST_ZOOM = 64;

export class Scene {
  /** @param {ImageModel} model */
  constructor(model) {
    this.model = model;
    this.width = 0;
    this.height = 0;
    /** @type {ReturnType<typeof setTimeout> | null} */
    this.saving = null;
  }

  get view() {
    return this.model.get("_view");
  }

  get picture() {
    return this.model.get("_pictures")[this.view.picture];
  }

  get looks() {
    return this.model.get("_looks")[this.view.picture];
  }

  /** What is drawn: the labels, and the channels that are switched on. */
  get sources() {
    const channels = this.looks.flatMap((look, channel) => (look.visible ? [channel] : []));
    return this.picture.labels ? [LABELS, ...channels] : channels;
  }

  /** The zoom that shows the whole picture. */
  get fit() {
    const [rows, columns] = this.picture.size;
    return Math.min(this.width / columns, this.height / rows, LARGEST_ZOOM);
  }

  get camera() {
    const { row, column, zoom } = this.view;
    const [rows, columns] = this.picture.size;
    return zoom === null ? { row: (rows - 1) / 2, column: (columns - 1) / 2, zoom: this.fit } : { row, column, zoom };
  }

  /**
   * Converts a point of the canvas to a position in the picture.
   * @param {number} x
   * @param {number} y
   */
  toPicture(x, y) {
    const { row, column, zoom } = this.camera;
    return { row: row + (y - this.height / 2) / zoom, column: column + (x - this.width / 2) / zoom };
  }

  /**
   * Converts a position in the picture to a point of the canvas.
   * @param {number} row
   * @param {number} column
   * @returns {Point}
   */
  toCanvas(row, column) {
    const camera = this.camera;
    return [
      (column - camera.column) * camera.zoom + this.width / 2,
      (row - camera.row) * camera.zoom + this.height / 2,
    ];
  }

  /**
   * Moves the picture by pixels of the canvas; the centre of the canvas stays inside the picture.
   * @param {number} dx
   * @param {number} dy
   */
  pan(dx, dy) {
    const { row, column, zoom } = this.camera;
    const [rows, columns] = this.picture.size;
    this.look({
      row: clamp(row - dy / zoom, 0, rows - 1),
      column: clamp(column - dx / zoom, 0, columns - 1),
      zoom,
    });
  }

  /**
   * Zooms around a point of the canvas, which stays where it is.
   * @param {number} x
   * @param {number} y
   * @param {number} times
   */
  zoomAt(x, y, times) {
    const fixed = this.toPicture(x, y);
    const camera = this.camera;
    const zoom = clamp(camera.zoom * times, Math.min(this.fit, 1) / 2, LARGEST_ZOOM);
    this.look({
      row: fixed.row - (fixed.row - camera.row) * (camera.zoom / zoom),
      column: fixed.column - (fixed.column - camera.column) * (camera.zoom / zoom),
      zoom,
    });
  }

  /** @param {Partial<View>} change */
  look(change) {
    this.set("_view", { ...this.view, ...change });
  }

  /**
   * Shows another picture, in the same part and zoom if it has the same size.
   * @param {number} number
   */
  choosePicture(number) {
    const next = this.model.get("_pictures")[number];
    const { frame, plane } = this.view;
    const hasSameSize = next.size.every((length, axis) => length === this.picture.size[axis]);
    this.look({
      picture: number,
      frame: Math.min(frame, (next.frames ?? 1) - 1),
      plane: Math.min(plane, (next.planes ?? 1) - 1),
      ...(hasSameSize ? {} : { zoom: null }),
    });
  }

  /**
   * @param {number} channel
   * @param {Partial<Look>} change
   */
  adjustChannel(channel, change) {
    const all = [...this.model.get("_looks")];
    all[this.view.picture] = this.looks.map((look, number) => (number === channel ? { ...look, ...change } : look));
    this.set("_looks", all);
  }

  /**
   * Changes a trait; the views follow at once, the kernel a little later.
   * @template {keyof ImageTraits} Name
   * @param {Name} name
   * @param {ImageTraits[Name]} value
   */
  set(name, value) {
    this.model.set(name, value);
    this.saving ??= setTimeout(() => this.save(), SAVE_EVERY);
  }

  save() {
    if (this.saving === null) return;
    clearTimeout(this.saving);
    this.saving = null;
    this.model.save_changes();
  }
}
