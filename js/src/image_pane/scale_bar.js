// The scale bar: its length is a round number.

/** @import { Scene } from "./scene.js" */

import { make } from "../shared/element.js";
import { shortNumber } from "./formats.js";

const LONGEST = 160; // pixels
/** Symbols for units whose names napari spells out. @type {Record<string, string>} */
const SHORT_UNITS = { um: "µm", micrometer: "µm", micron: "µm", nanometer: "nm", millimeter: "mm", angstrom: "Å" };

/**
 * The length of the bar in CSS pixels, and its label.
 * @param {number} pixel the width of a pixel of the picture, in units
 * @param {string} unit
 * @param {number} zoom
 * @param {number} width of the canvas
 */
export function scaleOf(pixel, unit, zoom, width) {
  const longest = (pixel * Math.min(LONGEST, width / 4)) / zoom;
  const power = 10 ** Math.floor(Math.log10(longest));
  const length = ([5, 2].find((digit) => digit * power <= longest) ?? 1) * power;
  return { length: (length / pixel) * zoom, text: `${shortNumber(length)} ${(SHORT_UNITS[unit] ?? unit) || "px"}` };
}

export class ScaleBar {
  constructor() {
    this.text = make("span");
    this.element = make("div", { class: "scale" }, this.text);
  }

  /** @param {Pick<Scene, "picture" | "camera" | "width">} scene */
  update({ picture, camera, width }) {
    this.element.hidden = !picture.pixel;
    if (!picture.pixel) return;
    const { length, text } = scaleOf(picture.pixel, picture.unit, camera.zoom, width);
    this.element.style.width = `${length}px`;
    this.text.textContent = text;
  }
}
