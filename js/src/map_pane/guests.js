// Cells that were placed on a finished map, drawn above its points.

/** @import { MapModel } from "./traits" */

import { alignedBuffer } from "../shared/bytes.js";

export const MAGENTA = [255, 0, 255, 255];
// Marked as selected points are: larger, with a ring, and never dimmed.
const FLAGS = 1;
const SHARE = 0.5;

export class Guests {
  /**
   * @param {WebGL2RenderingContext} gl
   * @param {Pick<MapModel, "get">} model
   */
  constructor(gl, model) {
    this.gl = gl;
    this.model = model;
    this.count = 0;
    this.array = gl.createVertexArray();
    this.buffer = gl.createBuffer();
  }

  /** @param {number} axes the number of coordinates of each cell */
  load(axes) {
    const { gl } = this;
    const places = new Float32Array(alignedBuffer(this.model.get("guests")));
    this.count = Math.floor(places.length / axes);
    gl.bindVertexArray(this.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    gl.enableVertexAttribArray(0);
    gl.vertexAttribPointer(0, axes, gl.FLOAT, false, 0, 0);
    gl.bufferData(gl.ARRAY_BUFFER, places, gl.STATIC_DRAW);
    gl.bindVertexArray(null);
  }

  /**
   * Draws them with the program of the points, in its pass of selected ones.
   * @param {number} code the index of their colour in the palette
   */
  draw(code) {
    if (!this.count) return;
    const { gl } = this;
    gl.bindVertexArray(this.array);
    for (const [at, value] of [code, SHARE, FLAGS].entries()) gl.vertexAttrib1f(at + 1, value);
    gl.drawArrays(gl.POINTS, 0, this.count);
    gl.bindVertexArray(null);
  }
}
