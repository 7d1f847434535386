// Tiles on the graphics card; the least recently seen are dropped first.

/** @import { Tile } from "./traits" */
/** @import { TextureKind } from "./texture.js" */

import { makeTexture } from "./texture.js";
import { keyOf } from "./tile.js";

const MOST_BYTES = 300 * 2 ** 20;

/**
 * @typedef {object} CachedTile
 * @property {Tile} tile
 * @property {WebGLTexture | null} texture null for a tile that could not be read
 * @property {number} nBytes
 */

export class TileCache {
  /**
   * @param {WebGL2RenderingContext} gl
   * @param {number} mostBytes
   */
  constructor(gl, mostBytes = MOST_BYTES) {
    this.gl = gl;
    this.mostBytes = mostBytes;
    /** The most recently seen is last. @type {Map<string, CachedTile>} */
    this.entries = new Map();
    this.nBytes = 0;
  }

  /** @param {Tile} tile */
  get(tile) {
    return this.entries.get(keyOf(tile));
  }

  /** @param {Tile} tile */
  has(tile) {
    return this.entries.has(keyOf(tile));
  }

  /**
   * Marks tiles as seen.
   * @param {Tile[]} tiles
   */
  touch(tiles) {
    for (const key of tiles.map(keyOf)) {
      const entry = this.entries.get(key);
      if (entry && this.entries.delete(key)) this.entries.set(key, entry);
    }
  }

  /**
   * Stores a tile. One that could not be read is stored without pixels, so that it is not requested again and again.
   * @param {Tile} tile
   * @param {TextureKind} kind
   * @param {number[]} shape
   * @param {Uint8Array<ArrayBuffer> | null} bytes
   */
  put(tile, kind, shape, bytes) {
    this.drop(keyOf(tile));
    const texture = bytes && makeTexture(this.gl, kind, shape[1], shape[0], bytes);
    const nBytes = bytes?.byteLength ?? 0;
    this.entries.set(keyOf(tile), { tile, texture, nBytes });
    this.nBytes += nBytes;
  }

  /**
   * Drops tiles until the limit is kept, but never those in view.
   * @param {Tile[]} inView
   */
  trim(inView) {
    const needed = new Set(inView.map(keyOf));
    for (const key of this.entries.keys()) {
      if (this.nBytes <= this.mostBytes) return;
      if (!needed.has(key)) this.drop(key);
    }
  }

  /** @param {(tile: Tile) => boolean} isGone */
  dropIf(isGone) {
    for (const [key, { tile }] of this.entries) if (isGone(tile)) this.drop(key);
  }

  /** @param {string} key */
  drop(key) {
    const entry = this.entries.get(key);
    if (!entry) return;
    this.gl.deleteTexture(entry.texture);
    this.nBytes -= entry.nBytes;
    this.entries.delete(key);
  }
}
