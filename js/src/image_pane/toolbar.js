// The tools, and the controls for picture, frame and plane.

/** @import { Tool } from "../shared/model" */
/** @import { IconName } from "./element.js" */
/** @import { Scene } from "./scene.js" */

import { icon, make } from "./element.js";

/** @type {[Tool, string][]} */
const TOOLS = [
  ["move", "Move the image"],
  ["lasso", "Draw around cells"],
  ["rectangle", "Draw a rectangle around cells"],
];

export class Toolbar {
  /**
   * @param {Scene} scene
   * @param {AbortSignal} signal
   */
  constructor(scene, signal) {
    this.scene = scene;
    this.signal = signal;
    this.tools = TOOLS.map(([tool, title]) => {
      const button = this.button(tool, title, () => scene.set("tool", tool));
      return { tool, button };
    });
    const fit = this.button("fit", "Show the whole image (or double-click it)", () => scene.look({ zoom: null }));
    this.pictures = make("select", { title: "The image shown", "aria-label": "Image" });
    this.pictures.addEventListener("change", () => scene.choosePicture(this.pictures.selectedIndex), { signal });
    this.frame = this.slider("Frame", "frame");
    this.plane = this.slider("z", "plane");
    const tools = make("span", { class: "tools", role: "group", "aria-label": "What dragging does" });
    tools.append(...this.tools.map(({ button }) => button));
    this.element = make("div", { class: "bar" }, tools, fit, this.pictures, this.frame.row, this.plane.row);
  }

  /**
   * @param {IconName} name
   * @param {string} title
   * @param {() => void} act
   */
  button(name, title, act) {
    const attributes = { type: "button", title, "aria-label": title, "data-tool": name };
    const button = make("button", attributes, icon(name));
    button.addEventListener("click", act, { signal: this.signal });
    return button;
  }

  /**
   * @param {string} name
   * @param {"frame" | "plane"} axis
   */
  slider(name, axis) {
    const input = make("input", { type: "range", min: 0, step: 1, "aria-label": name });
    const output = make("output");
    const look = () => this.scene.look({ [axis]: Number(input.value) });
    input.addEventListener("input", look, { signal: this.signal });
    return { row: make("label", { class: `slider ${axis}` }, `${name} `, input, output), input, output };
  }

  /** Shows the values of the model. */
  update() {
    const { picture, view, model } = this.scene;
    for (const { tool, button } of this.tools) button.setAttribute("aria-pressed", String(tool === model.get("tool")));
    const names = model.get("_pictures").map(({ name }) => name);
    if (names.length !== this.pictures.length)
      this.pictures.replaceChildren(...names.map((name) => make("option", {}, name)));
    this.pictures.hidden = names.length < 2;
    this.pictures.selectedIndex = view.picture;
    updateSlider(this.frame, picture.frames, view.frame);
    updateSlider(this.plane, picture.planes, view.plane);
  }
}

/**
 * @param {ReturnType<Toolbar["slider"]>} slider
 * @param {number | null} length
 * @param {number} value
 */
function updateSlider({ row, input, output }, length, value) {
  row.hidden = length === null;
  const last = (length ?? 1) - 1;
  input.max = String(last);
  input.value = String(value);
  output.value = `${value} / ${last}`;
}
