// Draws an image and its cells.
//
// The light of the channels and the numbers of the cells are drawn separately and then combined, so that a change of
// selection or colours repeats only the last step.

/** @import { Scene } from "./scene.js" */
/** @import { TextureKind } from "./texture.js" */
/** @import { TileCache } from "./tile_cache.js" */
/** @import { TileGrid } from "./tile_grid.js" */

import { Program } from "../shared/program.js";
import { CELLS, CORNERS, LIGHT, NUMBERS } from "./shaders.js";
import { DECODE, makeTexture } from "./texture.js";
import { LABELS, NO_CELL, UNKNOWN_CELL } from "./tile.js";

/** Colours and selection are textures of this width, in which a cell's number gives a row and a column. */
const WIDTH = 4096;
const ALL = [-1, -1, 1, 1];

/** @typedef {{ frame: WebGLFramebuffer, texture: WebGLTexture }} Target what to draw into, instead of the canvas */

/**
 * How cells are drawn.
 * @typedef {object} CellStyle
 * @property {number} opacity
 * @property {number[]} highlight
 * @property {number | null} pointed the number of the cell under the mouse
 * @property {number} line the width of outlines, in device pixels
 */

export class Renderer {
  /** @param {WebGL2RenderingContext} gl */
  constructor(gl) {
    this.gl = gl;
    this.light = new Program(gl, CORNERS, LIGHT);
    this.numbers = new Program(gl, CORNERS, NUMBERS);
    this.cells = new Program(gl, CORNERS, CELLS);
    gl.bindVertexArray(gl.createVertexArray());
    /** @type {{ width: number, height: number, light: Target, numbers: Target } | null} */
    this.targets = null;
    this.colours = this.list("rgba", new Uint8Array(0), 4);
    this.selected = this.list("bits", new Uint8Array(0), 1);
    /** The left, bottom, right and top edge of the picture, in pixels of the canvas. */
    this.inside = [0, 0, 0, 0];
  }

  /**
   * A list as a texture of as many rows as it takes.
   * @param {TextureKind} kind
   * @param {Uint8Array} bytes
   * @param {number} itemSize
   */
  list(kind, bytes, itemSize) {
    const n = bytes.byteLength / itemSize;
    const rows = Math.max(1, Math.ceil(n / WIDTH));
    const padded = new Uint8Array(rows * WIDTH * itemSize);
    padded.set(bytes);
    return { n, texture: makeTexture(this.gl, kind, WIDTH, rows, padded) };
  }

  /** @param {Uint8Array} bytes red, green, blue and opacity of each cell */
  setColours(bytes) {
    this.gl.deleteTexture(this.colours.texture);
    this.colours = this.list("rgba", bytes, 4);
  }

  /** @param {Uint8Array} bits one for each cell */
  setSelected(bits) {
    this.gl.deleteTexture(this.selected.texture);
    this.selected = this.list("bits", bits, 1);
  }

  /**
   * @param {number} width
   * @param {number} height
   */
  resize(width, height) {
    if (this.targets?.width === width && this.targets.height === height) return;
    for (const target of this.targets ? [this.targets.light, this.targets.numbers] : []) {
      this.gl.deleteFramebuffer(target.frame);
      this.gl.deleteTexture(target.texture);
    }
    const light = this.target("rgba", width, height);
    this.targets = { width, height, light, numbers: this.target("numbers", width, height) };
  }

  /**
   * @param {TextureKind} kind
   * @param {number} width
   * @param {number} height
   * @returns {Target}
   */
  target(kind, width, height) {
    const { gl } = this;
    const texture = makeTexture(gl, kind, width, height);
    const frame = gl.createFramebuffer();
    gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
    gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);
    return { frame, texture };
  }

  /**
   * Draws light and numbers; `resize` comes first.
   * @param {TileGrid} grid
   * @param {Scene} scene
   * @param {TileCache} cache
   */
  drawTiles(grid, scene, cache) {
    const { gl, targets } = this;
    if (!targets) return;
    gl.viewport(0, 0, targets.width, targets.height);
    gl.bindFramebuffer(gl.FRAMEBUFFER, targets.light.frame);
    gl.clearBufferfv(gl.COLOR, 0, [0, 0, 0, 0]);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE);
    this.light.use();
    for (const channel of grid.sources.filter((source) => source !== LABELS)) {
      this.setChannel(channel, scene);
      this.drawSource(this.light, channel, grid, scene, cache);
    }
    gl.disable(gl.BLEND);
    gl.bindFramebuffer(gl.FRAMEBUFFER, targets.numbers.frame);
    gl.clearBufferuiv(gl.COLOR, 0, [NO_CELL, 0, 0, 0]);
    this.numbers.use();
    if (scene.picture.labels) this.drawSource(this.numbers, LABELS, grid, scene, cache);
    const [left, top, right, bottom] = boxOf([0, 0, ...scene.picture.size], scene);
    /** @param {number} share @param {number} length */
    const toPixels = (share, length) => Math.round(((share + 1) / 2) * length);
    this.inside = [
      toPixels(left, targets.width),
      toPixels(bottom, targets.height),
      toPixels(right, targets.width),
      toPixels(top, targets.height),
    ];
  }

  /**
   * @param {number} channel
   * @param {Scene} scene
   */
  setChannel(channel, scene) {
    const { colour, limits } = scene.looks[channel];
    const { kind, span } = scene.picture.channels[channel];
    const [low, high] = span ?? [0, 0];
    this.light.setVector("decode", span ? [high - low, 0] : DECODE[kind]);
    this.light.setVector(
      "limits",
      limits.map((end) => end - low),
    );
    this.light.setVector("colour", colour ?? [1, 1, 1]);
    this.light.setInt("hasColours", kind === "rgb" ? 1 : 0);
  }

  /**
   * @param {Program} program
   * @param {number} source
   * @param {TileGrid} grid
   * @param {Scene} scene
   * @param {TileCache} cache
   */
  drawSource(program, source, grid, scene, cache) {
    for (const cell of grid.cells) {
      const drawn = grid.find(source, cell, cache);
      if (!drawn?.found.texture) continue;
      const [top, left, bottom, right] = drawn.texels;
      program.setTexture("tile", 0, drawn.found.texture);
      this.drawBox(program, boxOf(drawn.box, scene), [left, top, right, bottom]);
    }
  }

  /**
   * @param {Program} program
   * @param {number[]} box
   * @param {number[]} texels
   */
  drawBox(program, box, texels = [0, 0, 1, 1]) {
    program.setVector("box", box);
    program.setVector("texels", texels);
    this.gl.drawArrays(this.gl.TRIANGLE_STRIP, 0, 4);
  }

  /**
   * Draws the cells over the light on the canvas; `drawTiles` comes first.
   * @param {CellStyle} style
   */
  drawCells({ opacity, highlight, pointed, line }) {
    const { gl, cells, targets } = this;
    if (!targets) return;
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, targets.width, targets.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    cells.use();
    cells.setTexture("light", 0, targets.light.texture);
    cells.setTexture("numbers", 1, targets.numbers.texture);
    cells.setTexture("colours", 2, this.colours.texture);
    cells.setTexture("selected", 3, this.selected.texture);
    cells.setUint("nColours", this.colours.n);
    cells.setUint("nSelected", this.selected.n);
    cells.setUint("pointed", pointed === null ? NO_CELL : pointed + 1);
    cells.setFloat("opacity", opacity);
    cells.setVector("highlight", highlight);
    cells.setInt("line", line);
    cells.setVector("inside", this.inside);
    this.drawBox(cells, ALL);
  }

  /**
   * The number of the cell at a pixel of the canvas, or null.
   * @param {number} x
   * @param {number} y
   */
  numberAt(x, y) {
    const { gl, targets } = this;
    if (!targets) return null;
    const pixel = new Uint32Array(4);
    gl.bindFramebuffer(gl.FRAMEBUFFER, targets.numbers.frame);
    gl.readPixels(x, targets.height - 1 - y, 1, 1, gl.RGBA_INTEGER, gl.UNSIGNED_INT, pixel);
    return pixel[0] === NO_CELL || pixel[0] === UNKNOWN_CELL ? null : pixel[0] - 1;
  }
}

/**
 * Converts the top, left, bottom and right edges of a box in the picture, in pixels, to left, top, right and bottom on
 * the canvas, from -1 to 1.
 * @param {number[]} edges
 * @param {Pick<Scene, "toCanvas" | "width" | "height">} scene
 */
export function boxOf([top, left, bottom, right], scene) {
  /** @param {number} column */
  const x = (column) => (2 * scene.toCanvas(0, column - 0.5)[0]) / scene.width - 1;
  /** @param {number} row */
  const y = (row) => 1 - (2 * scene.toCanvas(row - 0.5, 0)[1]) / scene.height;
  return [x(left), y(top), x(right), y(bottom)];
}
