// What is being drawn, as a dark and a bright line, visible on any image.

/** @import { Point, Tool } from "../shared/model" */

import { make } from "../shared/element.js";
import { sketch } from "../shared/sketch.js";

export class Outline {
  constructor() {
    this.element = make("div", { class: "trail" });
    this.element.innerHTML = "<svg><path/><path/></svg>";
    this.paths = this.element.querySelectorAll("path");
  }

  /**
   * @param {Point[] | null} corners
   * @param {Tool} [tool]
   */
  show(corners, tool) {
    for (const path of this.paths) sketch(path, corners, tool);
  }
}
