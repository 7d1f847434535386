// The tracks of cells: lines from each cell to those that follow it in time.

/** @import { MapModel } from "./traits" */
/** @import { Camera } from "./camera.js" */
/** @import { Points } from "./points.js" */

import { alignedBuffer } from "../shared/bytes.js";
import { Program } from "../shared/program.js";
import { LINE_FRAGMENT, LINE_VERTEX } from "./line_shaders.js";

const ATTRIBUTE_SIZES = [3, 3, 2, 2]; // both ends, their codes and times
const FLOATS = 10; // of a line
const [WIDTH, WIDER] = [1.5, 3]; // in CSS pixels

/**
 * The ends, codes and times of lines, for the graphics card.
 * @param {Uint32Array} rows of the points that lines join, two for each
 * @param {Points} points
 */
export function packLines(rows, points) {
  const packed = new Float32Array((rows.length / 2) * FLOATS);
  for (let line = 0; line < rows.length / 2; line++) {
    for (const end of [0, 1]) {
      const row = rows[2 * line + end];
      for (let axis = 0; axis < points.axes; axis++)
        packed[FLOATS * line + 3 * end + axis] = points.places[points.axes * row + axis];
      packed[FLOATS * line + 6 + end] = points.codes[row];
      packed[FLOATS * line + 8 + end] = points.times[row];
    }
  }
  return packed;
}

/** Lines of one width. */
class Strokes {
  /** @param {WebGL2RenderingContext} gl */
  constructor(gl) {
    this.gl = gl;
    this.count = 0;
    this.array = gl.createVertexArray();
    this.buffer = gl.createBuffer();
    gl.bindVertexArray(this.array);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.buffer);
    let offset = 0;
    for (const [at, size] of ATTRIBUTE_SIZES.entries()) {
      gl.enableVertexAttribArray(at);
      gl.vertexAttribPointer(at, size, gl.FLOAT, false, 4 * FLOATS, 4 * offset);
      gl.vertexAttribDivisor(at, 1);
      offset += size;
    }
    gl.bindVertexArray(null);
  }

  /** @param {Float32Array} packed */
  load(packed) {
    this.count = packed.length / FLOATS;
    this.gl.bindBuffer(this.gl.ARRAY_BUFFER, this.buffer);
    this.gl.bufferData(this.gl.ARRAY_BUFFER, packed, this.gl.DYNAMIC_DRAW);
  }

  draw() {
    if (!this.count) return;
    this.gl.bindVertexArray(this.array);
    this.gl.drawArraysInstanced(this.gl.TRIANGLE_STRIP, 0, 4, this.count);
    this.gl.bindVertexArray(null);
  }
}

export class Lines {
  /**
   * @param {WebGL2RenderingContext} gl
   * @param {Pick<MapModel, "get">} model
   */
  constructor(gl, model) {
    this.gl = gl;
    this.model = model;
    this.program = new Program(gl, LINE_VERTEX, LINE_FRAGMENT);
    this.all = new Strokes(gl);
    this.path = new Strokes(gl);
  }

  /** @param {Points} points */
  load(points) {
    for (const [strokes, name] of /** @type {const} */ ([
      [this.all, "links"],
      [this.path, "path"],
    ])) {
      const rows = new Uint32Array(alignedBuffer(this.model.get(name)));
      // Until Python has sent the lines of other points there are none.
      strokes.load(packLines(rows.every((row) => row < points.count) ? rows : new Uint32Array(), points));
    }
  }

  /**
   * Draws the lines, which lie below the points.
   * @param {Camera} camera
   * @param {number} ratio device pixels per CSS pixel
   * @param {number[]} ink the colour of the text around the map
   */
  draw(camera, ratio, ink) {
    if (!this.all.count && !this.path.count) return;
    const { gl, model, program } = this;
    gl.disable(gl.DEPTH_TEST);
    program.use();
    program.setMatrix("turn", camera.turn);
    program.setVector("centre", camera.centre);
    program.setVector("scale", [(2 * camera.pixels) / camera.width, (2 * camera.pixels) / camera.height]);
    program.setVector("pixel", [2 / gl.canvas.width, 2 / gl.canvas.height]);
    program.setFloat("now", model.get("now") ?? -1);
    program.setFloat("tail", model.get("tail") || 1);
    program.setVector("ink", ink);
    program.setFloat("width", WIDTH * ratio);
    program.setFloat("stands_out", 0);
    this.all.draw();
    program.setFloat("width", WIDER * ratio);
    program.setFloat("stands_out", 1);
    this.path.draw();
  }
}
