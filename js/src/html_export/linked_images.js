// The images in the page, which holds all of their tiles.

/** @import { ImageMessage, ImageTraits, Tile, TileAnswer } from "../image_pane/traits" */
/** @import { Point } from "../shared/model" */
/** @import { Card } from "./card.js" */
/** @import { ImagesData } from "./data" */
/** @import { Selection } from "./selection.js" */

import { keyOf, LABELS, NO_CELL, UNKNOWN_CELL } from "../image_pane/tile.js";
import { packBits } from "../shared/bytes.js";
import { fromBase64, unpack } from "./packed_array.js";
import { PageModel } from "./page_model.js";
import { Polygon } from "./polygon.js";
import { Stroke } from "./stroke.js";

/** @typedef {Extract<ImageMessage, { type: "drawn" }>} Drawn */

export class LinkedImages {
  /**
   * @param {ImagesData} data
   * @param {Selection} selection
   * @param {Pick<Card, "show">} card
   */
  constructor({ state, tiles }, selection, card) {
    this.tiles = tiles;
    this.nCells = selection.flags.length;
    this.selection = selection;
    this.card = card;
    /** @type {PageModel<ImageTraits, ImageMessage, TileAnswer>} */
    this.model = new PageModel({ ...state, _selected: new Uint8Array() }, (message) => this.answer(message));
    selection.views.push((flags) => this.model.set("_selected", packBits(flags)));
  }

  /** @param {ImageMessage} message */
  async answer(message) {
    if (message.type === "tile") this.send(message.tile);
    else if (message.type === "hover") this.card.show(message.number);
    else if (message.type === "click") this.selection.pick(message.number, message.mode);
    else this.selection.choose(await this.within(message), message.mode);
  }

  /** @param {Tile} tile */
  send(tile) {
    const { shape, packed } = this.tiles[keyOf(tile)];
    this.model.receive({ type: "tile", tile, shape, packed: true }, [fromBase64(packed)]);
  }

  /**
   * The numbers of the cells that have at least half of their pixels inside what was drawn, or one where the brush was:
   * the same rule as in the notebook.
   * @param {Pick<Drawn, "picture" | "frame" | "plane" | "corners" | "radius">} drawn
   */
  async within({ picture, frame, plane, corners, radius }) {
    const path = corners.map(([row, column]) => /** @type {Point} */ ([column, row]));
    const [region, share] = radius ? [new Stroke(path, radius), 0] : [new Polygon(path), 0.5];
    const [inside, all] = [new Uint32Array(this.nCells), new Uint32Array(this.nCells)];
    const { factors, side } = this.model.get("_pictures")[picture];
    /** @param {number} at */
    const middle = (at) => (at + 0.5) * factors[0] - 0.5;
    for (const { tile, row, column } of this.labelTiles({ picture, frame, plane })) {
      const numbers = await unpack(tile);
      const [height, width] = tile.shape;
      for (let down = 0; down < height; down++) {
        const spans = region.spans(middle(row * side + down));
        for (let across = 0; across < width; across++) {
          const number = Number(numbers[down * width + across]);
          if (number === NO_CELL || number === UNKNOWN_CELL) continue;
          const x = middle(column * side + across);
          all[number - 1]++;
          if (spans.some(([left, right]) => left <= x && x < right)) inside[number - 1]++;
        }
      }
    }
    return [...inside.keys()].filter((number) => inside[number] && inside[number] >= share * all[number]);
  }

  /**
   * The tiles of the labels at the highest resolution in the page, each with its row and column in the grid.
   * @param {Pick<Tile, "picture" | "frame" | "plane">} place
   */
  labelTiles(place) {
    /** @param {number} row @param {number} column */
    const find = (row, column) => this.tiles[keyOf({ ...place, source: LABELS, level: 0, row, column })];
    const found = [];
    for (let row = 0; find(row, 0); row++)
      for (let column = 0; find(row, column); column++) found.push({ tile: find(row, column), row, column });
    return found;
  }
}
