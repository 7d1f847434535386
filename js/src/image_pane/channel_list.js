// Controls for how the channels and the cells are shown.

/** @import { Scene } from "./scene.js" */
/** @import { Channel, Look } from "./traits" */

import { make } from "../shared/element.js";
import { fromHex, shortNumber, toHex } from "./formats.js";

/** @typedef {{ row: HTMLElement, show: (look: Look) => void }} ChannelRow */

/**
 * The limits after the user has set one of them; the other moves out of its way if need be.
 * @param {[number, number]} limits
 * @param {0 | 1} end which one was set
 * @param {number} value
 * @param {number} step
 * @returns {[number, number]}
 */
export function withLimit(limits, end, value, step) {
  const [darkest, brightest] = limits;
  if (end === 0) return [value, value >= brightest ? value + step : brightest];
  return [darkest >= value ? value - step : darkest, value];
}

export class ChannelList {
  /**
   * @param {Scene} scene
   * @param {AbortSignal} signal
   */
  constructor(scene, signal) {
    this.scene = scene;
    this.signal = signal;
    this.rows = make("div", { class: "rows" });
    const summary = make("summary", {}, "Channels and colours");
    this.element = make("details", { class: "channels" }, summary, this.rows);
    /** @type {ChannelRow[]} */
    this.channels = [];
    this.opacity = this.range(0, 1, 0.01, "Opacity of the cells", (value) => scene.set("opacity", value));
    /** The picture whose channels are listed, and how many they are. */
    this.listed = "";
  }

  /** Shows the values of the model. */
  update() {
    const { scene } = this;
    const listed = `${scene.view.picture} ${scene.picture.channels.length}`;
    if (listed !== this.listed) {
      this.listed = listed;
      this.channels = scene.picture.channels.map((channel, number) => this.channel(channel, number));
      this.rows.replaceChildren(
        ...this.channels.map(({ row }) => row),
        ...(scene.picture.labels ? [this.cells()] : []),
      );
    }
    for (const [number, { show }] of this.channels.entries()) show(scene.looks[number]);
    this.opacity.value = String(scene.model.get("opacity"));
  }

  cells() {
    const name = make("span", { class: "name" }, "Cells");
    return make("div", { class: "row cells" }, name, make("label", {}, "opacity ", this.opacity));
  }

  /**
   * @param {Channel} channel
   * @param {number} number
   * @returns {ChannelRow}
   */
  channel({ name, kind, span }, number) {
    const { scene, signal } = this;
    const shown = make("input", { type: "checkbox" });
    shown.addEventListener("change", () => scene.adjustChannel(number, { visible: shown.checked }), { signal });
    const row = make("div", { class: "row" }, make("label", { class: "name", title: name }, shown, name));
    /** @param {Look} look */
    const showVisible = ({ visible }) => {
      shown.checked = visible;
    };
    if (kind === "rgb") return { row, show: showVisible };

    const colour = make("input", { type: "color", "aria-label": `Colour of ${name}` });
    const recolour = () => scene.adjustChannel(number, { colour: fromHex(colour.value) });
    colour.addEventListener("input", recolour, { signal });
    const [low, high] = scene.looks[number].range;
    const step = kind === "float32" || span ? (high - low) / 1000 || 1 : 1;
    const limits = [this.limit(0, name, number, step), this.limit(1, name, number, step)];
    row.append(colour, ...limits.map(({ part }) => part));
    /** @param {Look} look */
    const show = (look) => {
      showVisible(look);
      colour.value = toHex(look.colour ?? [1, 1, 1]);
      for (const [end, { input, output }] of limits.entries()) {
        input.value = String(look.limits[end]);
        output.value = shortNumber(look.limits[end]);
      }
    };
    return { row, show };
  }

  /**
   * @param {0 | 1} end
   * @param {string} name
   * @param {number} number
   * @param {number} step
   */
  limit(end, name, number, step) {
    const { scene } = this;
    const [low, high] = scene.looks[number].range;
    const input = this.range(low, high, step, `${end ? "Brightest" : "Darkest"} value of ${name}`, (value) =>
      scene.adjustChannel(number, { limits: withLimit(scene.looks[number].limits, end, value, step) }),
    );
    const output = make("output");
    const title = make("span", { class: "end" }, end ? "max" : "min");
    return { input, output, part: make("label", {}, title, input, output) };
  }

  /**
   * @param {number} min
   * @param {number} max
   * @param {number} step
   * @param {string} label
   * @param {(value: number) => void} act
   */
  range(min, max, step, label, act) {
    const input = make("input", { type: "range", min, max, step, "aria-label": label });
    input.addEventListener("input", () => act(Number(input.value)), { signal: this.signal });
    return input;
  }
}
