// The tools, and the controls for picture, frame and plane.

/** @import { Scene } from "./scene.js" */

import { make } from "../shared/element.js";
import { ToolButtons } from "../shared/tool_buttons.js";

export class Toolbar {
  /**
   * @param {Scene} scene
   * @param {AbortSignal} signal
   */
  constructor(scene, signal) {
    this.scene = scene;
    this.signal = signal;
    this.tools = new ToolButtons(
      "Drag to move the image.",
      (tool) => scene.set("tool", tool),
      () => scene.look({ zoom: null }),
      signal,
    );
    this.pictures = make("select", { title: "The image shown", "aria-label": "Image" });
    this.pictures.addEventListener("change", () => scene.choosePicture(this.pictures.selectedIndex), { signal });
    this.frame = this.slider("Frame", "frame");
    this.plane = this.slider("z", "plane");
    const { element } = this.tools;
    this.element = make("div", { class: "bar" }, element, this.pictures, this.frame.row, this.plane.row);
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
    this.tools.update(model.get("tool"));
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
