// The lasso or rectangle that is being drawn, as a dark and a bright line, visible on any image.

/** @import { Point } from "../shared/model" */

import { make } from "../shared/element.js";

export class Outline {
  constructor() {
    this.element = make("div", { class: "trail" });
    this.element.innerHTML = "<svg><path/><path/></svg>";
    this.paths = this.element.querySelectorAll("path");
  }

  /** @param {Point[] | null} corners */
  show(corners) {
    for (const path of this.paths) {
      if (corners) path.setAttribute("d", `M${corners.map((corner) => corner.join()).join("L")}Z`);
      else path.removeAttribute("d");
    }
  }
}
