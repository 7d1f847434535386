// A WebGL program.

export class Program {
  /**
   * @param {WebGL2RenderingContext} gl
   * @param {string} vertexShader
   * @param {string} fragmentShader
   */
  constructor(gl, vertexShader, fragmentShader) {
    this.gl = gl;
    this.program = gl.createProgram();
    this.compile(gl.VERTEX_SHADER, vertexShader);
    this.compile(gl.FRAGMENT_SHADER, fragmentShader);
    gl.linkProgram(this.program);
    if (!gl.getProgramParameter(this.program, gl.LINK_STATUS) && !gl.isContextLost())
      throw new Error(`The shaders cannot be compiled: ${gl.getProgramInfoLog(this.program)}`);
    /** @type {Map<string, WebGLUniformLocation | null>} */
    this.locations = new Map();
  }

  /**
   * @param {number} type
   * @param {string} source
   */
  compile(type, source) {
    const { gl } = this;
    const shader = gl.createShader(type);
    if (!shader) return; // the context is lost
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(this.program, shader);
    gl.deleteShader(shader);
  }

  use() {
    this.gl.useProgram(this.program);
  }

  /** @param {string} name */
  location(name) {
    if (!this.locations.has(name)) this.locations.set(name, this.gl.getUniformLocation(this.program, name));
    return this.locations.get(name) ?? null;
  }

  /**
   * @param {string} name
   * @param {number} value
   */
  setFloat(name, value) {
    this.gl.uniform1f(this.location(name), value);
  }

  /**
   * @param {string} name
   * @param {number} value
   */
  setInt(name, value) {
    this.gl.uniform1i(this.location(name), value);
  }

  /**
   * @param {string} name
   * @param {number} value
   */
  setUint(name, value) {
    this.gl.uniform1ui(this.location(name), value);
  }

  /**
   * @param {string} name
   * @param {number[]} values two to four
   */
  setVector(name, values) {
    const { gl } = this;
    const location = this.location(name);
    if (values.length === 2) gl.uniform2fv(location, values);
    else if (values.length === 3) gl.uniform3fv(location, values);
    else gl.uniform4fv(location, values);
  }

  /**
   * @param {string} name
   * @param {number[][]} rows
   */
  setMatrix(name, rows) {
    this.gl.uniformMatrix3fv(this.location(name), true, rows.flat());
  }

  /**
   * @param {string} name
   * @param {number} unit
   * @param {WebGLTexture | null} texture
   */
  setTexture(name, unit, texture) {
    this.gl.activeTexture(this.gl.TEXTURE0 + unit);
    this.gl.bindTexture(this.gl.TEXTURE_2D, texture);
    this.setInt(name, unit);
  }
}
