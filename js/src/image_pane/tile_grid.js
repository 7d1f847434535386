// Which tiles a scene needs, and where they lie in it.

/** @import { Scene } from "./scene.js" */
/** @import { Tile } from "./traits" */
/** @import { CachedTile } from "./tile_cache.js" */

import { clamp } from "../shared/geometry.js";

/** How large the pixels of a tile may get, in device pixels, before a finer level is requested. */
const SHARPNESS = 1.25;

/**
 * A tile as it is drawn in a scene.
 * @typedef {object} PlacedTile
 * @property {CachedTile} found the tile itself, or a coarser one
 * @property {number[]} texels top, left, bottom and right in pixels of the tile found
 * @property {number[]} box top, left, bottom and right in pixels of the picture
 */

export class TileGrid {
  /**
   * @param {Pick<Scene, "picture" | "view" | "camera" | "width" | "height" | "sources">} scene
   * @param {number} ratio device pixels per CSS pixel
   */
  constructor({ picture, view, camera, width, height, sources }, ratio) {
    this.picture = picture;
    this.view = view;
    this.sources = sources;
    const finest = 1 / (camera.zoom * ratio);
    this.level = Math.max(
      0,
      picture.factors.findLastIndex((factor) => factor <= SHARPNESS * finest),
    );
    const side = picture.side * picture.factors[this.level];
    const [rows, columns] = picture.size;
    const [top, bottom] = tilesInView(camera.row, height / camera.zoom, rows, side);
    const [left, right] = tilesInView(camera.column, width / camera.zoom, columns, side);
    /** Row and column of each tile in view, from the centre outwards. @type {[number, number][]} */
    this.cells = [];
    for (let row = top; row <= bottom; row++)
      for (let column = left; column <= right; column++) this.cells.push([row, column]);
    /** @param {[number, number]} cell */
    const distance = ([row, column]) =>
      Math.hypot((row + 0.5) * side - camera.row, (column + 0.5) * side - camera.column);
    this.cells.sort((one, other) => distance(one) - distance(other));
  }

  /**
   * @param {number} source
   * @param {number} level
   * @param {number} row
   * @param {number} column
   * @returns {Tile}
   */
  tile(source, level, row, column) {
    const { picture, frame, plane } = this.view;
    return { picture, source, level, frame, plane, row, column };
  }

  /** First the whole picture, coarse, to stand in for missing tiles; then those in view, from the centre outwards. */
  get tiles() {
    const coarsest = this.picture.factors.length - 1;
    const fine = this.level === coarsest ? [] : this.cells;
    return [
      ...this.sources.map((source) => this.tile(source, coarsest, 0, 0)),
      ...fine.flatMap(([row, column]) => this.sources.map((source) => this.tile(source, this.level, row, column))),
    ];
  }

  /**
   * The finest tile in the cache that covers a cell of the grid.
   * @param {number} source
   * @param {[number, number]} cell
   * @param {{ get(tile: Tile): CachedTile | undefined }} cache
   * @returns {PlacedTile | null}
   */
  find(source, [row, column], cache) {
    const { factors, side, size } = this.picture;
    const own = side * factors[this.level];
    const box = [row * own, column * own, Math.min((row + 1) * own, size[0]), Math.min((column + 1) * own, size[1])];
    for (let level = this.level; level < factors.length; level++) {
      const factor = factors[level];
      const [top, left] = [Math.floor(box[0] / (side * factor)), Math.floor(box[1] / (side * factor))];
      const found = cache.get(this.tile(source, level, top, left));
      const texels = box.map((end, axis) => end / factor - side * (axis % 2 ? left : top));
      const isWithin = Math.max(texels[2], texels[3]) <= side + 1e-6;
      if (found && isWithin) return { found, texels, box };
    }
    return null;
  }
}

/**
 * The first and the last tile in view along an axis of the picture.
 * @param {number} middle the pixel in the centre of the view
 * @param {number} length of the view, in pixels of the picture
 * @param {number} size of the picture
 * @param {number} side of a tile
 */
function tilesInView(middle, length, size, side) {
  const last = Math.ceil(size / side) - 1;
  const first = Math.floor((middle + 0.5 - length / 2) / side);
  const end = Math.ceil((middle + 0.5 + length / 2) / side);
  return [clamp(first, 0, last), clamp(end - 1, 0, last)];
}
