// Draws points.

/** @import { Camera } from "./camera.js" */
/** @import { Points } from "./points.js" */
/** @import { MapModel } from "./traits" */

import { drawsBySoftware } from "../shared/frame_timer.js";
import { Program } from "../shared/program.js";
import { Field } from "./field.js";
import { Guests, MAGENTA } from "./guests.js";
import { Lines } from "./lines.js";
import { MOST, RandomOrder, sampleInView } from "./sample.js";
import { FRAGMENT, VERTEX } from "./shaders.js";

const ATTRIBUTE_SIZES = [3, 1, 1, 1]; // places, codes, shares and flags
const PALETTE_WIDTH = 256;
const DIMMED = 0.25;
const ARROW = 10; // the least size of a point beyond the edge, in CSS pixels
const LARGEST_GROWTH = 4; // of the points when the map is enlarged

export class Renderer {
  /**
   * @param {WebGL2RenderingContext} gl
   * @param {Pick<MapModel, "get">} model
   */
  constructor(gl, model) {
    this.gl = gl;
    this.model = model;
    this.program = new Program(gl, VERTEX, FRAGMENT);
    this.lines = new Lines(gl, model);
    this.guests = new Guests(gl, model);
    this.field = new Field(gl, model);
    this.isSoftware = drawsBySoftware(gl);
    this.order = new RandomOrder();
    this.rows = gl.createBuffer();
    /** How many points were drawn last. */
    this.drawn = 0;
    this.buffers = ATTRIBUTE_SIZES.map((size, at) => {
      const buffer = gl.createBuffer();
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.enableVertexAttribArray(at);
      gl.vertexAttribPointer(at, size, gl.FLOAT, false, 0, 0);
      return buffer;
    });
    gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  /** @param {Points} points */
  load(points) {
    const { gl } = this;
    for (const [at, array] of [points.places, points.codes, points.shares].entries()) {
      gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers[at]);
      if (at === 0) gl.vertexAttribPointer(0, points.axes, gl.FLOAT, false, 0, 0);
      gl.bufferData(gl.ARRAY_BUFFER, array, gl.DYNAMIC_DRAW);
    }
    this.loadFlags(points);
    this.lines.load(points);
    this.guests.load(points.axes);
    this.field.load();
    const rowBytes = 4 * PALETTE_WIDTH;
    const rows = Math.ceil((points.palette.length + MAGENTA.length) / rowBytes);
    const texels = new Uint8Array(rows * rowBytes);
    texels.set(points.palette);
    texels.set(MAGENTA, points.palette.length);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, PALETTE_WIDTH, rows, 0, gl.RGBA, gl.UNSIGNED_BYTE, texels);
  }

  /** @param {Points} points */
  loadFlags(points) {
    this.gl.bindBuffer(this.gl.ARRAY_BUFFER, this.buffers[3]);
    this.gl.bufferData(this.gl.ARRAY_BUFFER, points.flags, this.gl.DYNAMIC_DRAW);
  }

  /**
   * @param {Points} points
   * @param {Camera} camera
   * @param {number} ratio device pixels per CSS pixel
   */
  draw(points, camera, ratio) {
    const { gl, program, model } = this;
    gl.viewport(0, 0, gl.canvas.width, gl.canvas.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    // No colour of a class, and seen on a light page as on a dark one.
    const ink = textColour(/** @type {HTMLCanvasElement} */ (gl.canvas));
    this.field.draw(camera, ink);
    this.lines.draw(camera, ratio, ink);
    program.use();
    if (points.axes === 3) gl.enable(gl.DEPTH_TEST);
    else gl.disable(gl.DEPTH_TEST);
    program.setMatrix("turn", camera.turn);
    program.setVector("centre", camera.centre);
    program.setVector("half_sides", camera.half);
    program.setFloat("arrow", ARROW * ratio);
    program.setVector("scale", [(2 * camera.pixels) / camera.width, (2 * camera.pixels) / camera.height]);
    program.setFloat("size", model.get("size") * ratio * Math.min(camera.zoom ** 0.5, LARGEST_GROWTH));
    program.setFloat("spread", model.get("spread"));
    program.setFloat("dimmed", points.hasSelection || points.hasNow ? DIMMED : 1);
    program.setVector("ring", ink);
    // Selected ones: with their rims and, where none is in front of another, once more above the rims of all.
    const selected = points.axes === 3 ? [2] : [2, 3];
    const passes = [0, ...(points.hasNow || points.hasHollow ? [1] : []), ...(points.hasSelection ? selected : [])];
    const sample =
      this.isSoftware && points.count > MOST ? sampleInView(points, camera, this.order.of(points.count)) : null;
    this.drawn = sample ? sample.reduce((sum, rows) => sum + rows.length, 0) : points.count;
    for (const pass of passes) {
      program.setFloat("pass", pass);
      gl.clear(gl.DEPTH_BUFFER_BIT); // others must not hide those of the frame shown, hollow ones, or selected ones
      if (sample) this.drawRows(sample[Math.min(pass, 2)]);
      else gl.drawArrays(gl.POINTS, 0, points.count);
    }
    program.setFloat("pass", 2);
    this.guests.draw(points.palette.length / 4);
  }

  /** @param {Uint32Array} rows */
  drawRows(rows) {
    const { gl } = this;
    gl.bindBuffer(gl.ELEMENT_ARRAY_BUFFER, this.rows);
    gl.bufferData(gl.ELEMENT_ARRAY_BUFFER, rows, gl.STREAM_DRAW);
    gl.drawElements(gl.POINTS, rows.length, gl.UNSIGNED_INT, 0);
  }
}

/**
 * Returns the colour of the text around an element, opaque.
 * @param {HTMLElement} element
 */
function textColour(element) {
  const [red = 0, green = 0, blue = 0] =
    getComputedStyle(element)
      .color.match(/[\d.]+/g)
      ?.map(Number) ?? [];
  return [red / 255, green / 255, blue / 255, 1];
}
