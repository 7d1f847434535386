// Everything that belongs to a WebGL context, and is lost with it.

/** @import { View } from "./traits" */

import { FrameTimer } from "../shared/frame_timer.js";
import { Renderer } from "./renderer.js";
import { TileCache } from "./tile_cache.js";

export class Graphics {
  /**
   * @param {WebGL2RenderingContext} gl
   * @param {HTMLElement} box
   */
  constructor(gl, box) {
    this.gl = gl;
    this.cache = new TileCache(gl);
    this.renderer = new Renderer(gl);
    this.timer = new FrameTimer(gl, box);
    /** The view that was drawn last. @type {View | null} */
    this.drawn = null;
  }
}
