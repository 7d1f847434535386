// Requests the tiles that the views of a model lack from the kernel, a few at a time.

/** @import { Bytes } from "../shared/model" */
/** @import { ImageModel, Tile, TileAnswer } from "./traits" */

import { bytesOf, inflate } from "../shared/bytes.js";
import { keyOf } from "./tile.js";

/** With few requests at a time the kernel is never busy for long, and tiles that leave the view are not requested. */
const MOST_ASKED = 4;
/** Requests older than this, in milliseconds, are lost: the kernel was interrupted, or the computer was asleep. */
const PATIENCE = 60_000;

/**
 * @typedef {object} TileReceiver
 * @property {Tile[]} missing
 * @property {(tile: Tile, shape: number[], bytes: Uint8Array<ArrayBuffer> | null, error?: string) => void} receive
 */

/** @type {WeakMap<ImageModel, TileLoader>} */
const loaders = new WeakMap();

export class TileLoader {
  /**
   * Adds a view to the loader of its model, which all of its views share.
   * @param {ImageModel} model
   * @param {TileReceiver} view
   */
  static join(model, view) {
    const loader = loaders.get(model) ?? new TileLoader(model);
    loaders.set(model, loader);
    loader.views.unshift(view);
    return loader;
  }

  /** @param {ImageModel} model */
  constructor(model) {
    this.model = model;
    /** @type {TileReceiver[]} */
    this.views = [];
    /** When each tile under way was requested. @type {Map<string, number>} */
    this.asked = new Map();
    /** @param {TileAnswer} answer @param {Bytes[]} buffers */
    this.listener = (answer, buffers) => {
      if (answer.type === "tile") this.receive(answer, buffers);
    };
    model.on("msg:custom", this.listener);
  }

  /** @param {TileReceiver} view */
  leave(view) {
    this.views = this.views.filter((one) => one !== view);
    if (this.views.length) return;
    this.model.off("msg:custom", this.listener);
    loaders.delete(this.model);
  }

  ask() {
    const now = performance.now();
    for (const [key, since] of this.asked) if (now - since > PATIENCE) this.asked.delete(key);
    for (const tile of this.views.flatMap((view) => view.missing)) {
      if (this.asked.size >= MOST_ASKED) return;
      if (this.asked.has(keyOf(tile))) continue;
      this.asked.set(keyOf(tile), now);
      this.model.send({ type: "tile", tile });
    }
  }

  /**
   * @param {TileAnswer} answer
   * @param {Bytes[]} buffers
   */
  async receive({ tile, shape = [0, 0], packed, error }, buffers) {
    const version = () => this.model.get("_pictures")[tile.picture].version;
    const then = version();
    let bytes = error ? null : bytesOf(buffers[0]);
    if (bytes && packed) bytes = await inflate(bytes);
    this.asked.delete(keyOf(tile));
    // The cells may have been renumbered while the tile was inflated.
    if (version() === then) for (const view of this.views) view.receive(tile, shape, bytes, error);
    this.ask();
  }
}
