// A map in the page. Each of its points, by row, is the cell with some number.

/** @import { MapMessage, MapTraits } from "../map_pane/traits" */
/** @import { Card } from "./card.js" */
/** @import { MapData } from "./data" */
/** @import { Selection } from "./selection.js" */

import { hasBit, packBits } from "../shared/bytes.js";
import { PageModel } from "./page_model.js";
import { Polygon } from "./polygon.js";
import { Stroke } from "./stroke.js";

export class LinkedMap {
  /**
   * @param {MapData} data
   * @param {Selection} selection
   * @param {Pick<Card, "show">} card
   */
  constructor({ state, numbers }, selection, card) {
    this.numbers = numbers;
    this.places = new Float32Array(state.places.buffer);
    this.shownRows = [...numbers.keys()].filter((row) => !hasBit(state.hidden, row));
    this.selection = selection;
    this.card = card;
    /** @type {PageModel<MapTraits, MapMessage>} */
    this.model = new PageModel({ ...state, selected: new Uint8Array(), frame: 1, marks: 0 }, (message) =>
      this.answer(message),
    );
    selection.views.push((flags) => this.mark(flags));
  }

  /** @param {MapMessage} message */
  answer(message) {
    if (message.kind === "hovered") this.card.show(this.numberOf(message.row));
    else if (message.kind === "clicked") this.selection.pick(this.numberOf(message.row), message.mode);
    else if (message.kind === "drawn") this.selection.choose(this.within(message), message.mode);
  }

  /** @param {number} row */
  numberOf(row) {
    return row < 0 ? null : this.numbers[row];
  }

  /**
   * The numbers of the visible cells in what was drawn.
   * @param {Pick<Extract<MapMessage, { kind: "drawn" }>, "corners" | "turn" | "radius">} drawn
   */
  within({ corners, turn: [right, up], radius }) {
    const region = radius ? new Stroke(corners, radius) : new Polygon(corners);
    /** @param {number[]} axis @param {number} row */
    const along = (axis, row) => axis.reduce((sum, share, at) => sum + share * this.places[axis.length * row + at], 0);
    const rows = this.shownRows.filter((row) => region.contains(along(right, row), along(up, row)));
    return rows.map((row) => this.numbers[row]);
  }

  /** @param {Uint8Array} flags whether each cell is selected, in the order of their numbers */
  mark(flags) {
    const { model } = this;
    const selected = Uint8Array.from(this.numbers, (number) => flags[number]);
    model.set("selected", selected.includes(1) ? packBits(selected) : new Uint8Array());
    model.set("marks", model.get("marks") + 1);
  }
}
