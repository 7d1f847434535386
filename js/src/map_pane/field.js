// A faint field below the points: where else one cell could lie.

/** @import { Camera } from "./camera.js" */
/** @import { MapModel } from "./traits" */

import { bytesOf } from "../shared/bytes.js";
import { Program } from "../shared/program.js";

const UNIT = 1;

const VERTEX = `#version 300 es
uniform vec4 box; // its left, lower, right and upper edge
uniform vec2 centre, scale;
out vec2 at;
void main() {
  at = vec2(gl_VertexID & 1, gl_VertexID >> 1);
  gl_Position = vec4((mix(box.xy, box.zw, at) - centre) * scale, 0, 1);
}`;

const FRAGMENT = `#version 300 es
precision highp float;
in vec2 at;
uniform sampler2D field;
uniform vec4 ink;
out vec4 pixel;
void main() {
  vec2 opacities = texture(field, vec2(at.x, 1.0 - at.y)).rg; // of white ink and of black ink
  bool is_light = dot(ink.rgb, vec3(0.2126, 0.7152, 0.0722)) > 0.5;
  pixel = is_light ? vec4(opacities.r) : vec4(0, 0, 0, opacities.g);
}`;

export class Field {
  /**
   * @param {WebGL2RenderingContext} gl
   * @param {Pick<MapModel, "get">} model
   */
  constructor(gl, model) {
    this.gl = gl;
    this.model = model;
    this.program = new Program(gl, VERTEX, FRAGMENT);
    /** The rows of its pixels; 0 for no field. */
    this.height = 0;
    // Without a buffer: the corners come from their numbers.
    this.array = gl.createVertexArray();
    // In a unit of its own: the palette of the points stays in the first one.
    gl.activeTexture(gl.TEXTURE0 + UNIT);
    gl.bindTexture(gl.TEXTURE_2D, gl.createTexture());
    for (const side of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T]) gl.texParameteri(gl.TEXTURE_2D, side, gl.CLAMP_TO_EDGE);
    for (const size of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER]) gl.texParameteri(gl.TEXTURE_2D, size, gl.LINEAR);
    gl.activeTexture(gl.TEXTURE0);
  }

  load() {
    const { gl, model } = this;
    const pixels = bytesOf(model.get("field"));
    const width = model.get("field_width") ?? 0;
    this.height = width ? Math.floor(pixels.length / (2 * width)) : 0;
    if (!this.height) return;
    gl.activeTexture(gl.TEXTURE0 + UNIT);
    gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RG8, width, this.height, 0, gl.RG, gl.UNSIGNED_BYTE, pixels);
    gl.activeTexture(gl.TEXTURE0);
  }

  /**
   * Draws the field, which lies below everything else.
   * @param {Camera} camera
   * @param {number[]} ink the colour of the text around the map
   */
  draw(camera, ink) {
    if (!this.height) return;
    const { gl, model, program } = this;
    gl.disable(gl.DEPTH_TEST);
    program.use();
    program.setVector("box", model.get("field_box") ?? [0, 0, 0, 0]);
    program.setVector("centre", camera.centre);
    program.setVector("scale", [(2 * camera.pixels) / camera.width, (2 * camera.pixels) / camera.height]);
    program.setVector("ink", ink);
    program.setInt("field", UNIT);
    gl.bindVertexArray(this.array);
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
    gl.bindVertexArray(null);
  }
}
