// A map of cells: points in WebGL2, with pan, zoom, hover, click, lasso and rectangle.
//
// Python says where the points lie, what colour, size and state each has; this says what the user has drawn or picked,
// and now and then which frame is drawn, so that Python does not send them faster than they are.

const TOOLS = [
  ["move", "Move: drag; the wheel zooms, a double click shows all. A map of three axes turns; with Shift it moves."],
  ["lasso", "Lasso: go round cells. With Shift they join the selection, with Ctrl or Alt they leave it."],
  ["rectangle", "Rectangle: drag over cells. With Shift they join the selection, with Ctrl or Alt they leave it."],
];
const REACH = 8; // how near the mouse must be to a point, in pixels
const SHORTEST = 3; // a shorter drag is a click, in pixels
const MARGIN = 0.94; // the share of the pane that the map takes
const SELECTED = 1;
const HIDDEN = 2;
const SVG = "http://www.w3.org/2000/svg";
const TURN = 0.01; // radians for each pixel of a drag
const TOLD = 4; // frames, of which one is told of: JupyterLab draws its page anew, twice, whenever Python is told anything

const VERTEX = `#version 300 es
layout(location = 0) in vec3 place;
layout(location = 1) in float code;
layout(location = 2) in float share;
layout(location = 3) in float flags;
uniform mat3 turn;
uniform vec2 centre, scale;
uniform float size, spread, pass, dimmed;
uniform sampler2D palette;
out vec4 colour;
out float diameter;
void main() {
  bool selected = mod(flags, 2.0) >= 1.0;
  bool shown = flags < 2.0 && (selected == (pass > 0.5));
  vec3 turned = turn * place;
  // What is nearer is larger, and hides what is behind it; of a flat map all is equally near.
  diameter = size * pow(spread, share - 0.5) * (selected ? 1.4 : 1.0) * (1.0 + 0.6 * turned.z);
  gl_Position = shown ? vec4((turned.xy - centre) * scale, -turned.z / 2.0, 1) : vec4(2, 2, 2, 1);
  gl_PointSize = diameter + 2.0;
  int at = int(code);
  colour = texelFetch(palette, ivec2(at % 256, at / 256), 0);
  if (!selected) colour.a *= dimmed;
}`;

const FRAGMENT = `#version 300 es
precision highp float;
in vec4 colour;
in float diameter;
uniform vec4 ring;
uniform float pass;
out vec4 pixel;
void main() {
  float away = length(gl_PointCoord - 0.5) * (diameter + 2.0);
  float inside = clamp(diameter / 2.0 - away + 0.5, 0.0, 1.0);
  if (inside <= 0.0) discard;
  float rim = pass > 0.5 ? clamp(away - diameter / 2.0 + 2.5, 0.0, 1.0) : 0.0;
  vec4 mixed = mix(colour, ring, rim);
  pixel = vec4(mixed.rgb * mixed.a, mixed.a) * inside;
}`;

function program(gl) {
  const made = gl.createProgram();
  for (const [kind, source] of [[gl.VERTEX_SHADER, VERTEX], [gl.FRAGMENT_SHADER, FRAGMENT]]) {
    const shader = gl.createShader(kind);
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(made, shader);
  }
  gl.linkProgram(made);
  if (!gl.getProgramParameter(made, gl.LINK_STATUS) && !gl.isContextLost()) throw new Error(gl.getProgramInfoLog(made));
  return made;
}

function bytes(view) {
  return view ? new Uint8Array(view.buffer, view.byteOffset, view.byteLength) : new Uint8Array();
}

function bits(packed, count) {
  const out = new Uint8Array(count);
  if (packed.length) for (let at = 0; at < count; at++) out[at] = (packed[at >> 3] >> (7 - (at & 7))) & 1;
  return out;
}

// What is to be drawn, as Python has said it.
class Points {
  constructor(model) {
    this.model = model;
    this.read();
  }

  read() {
    // A copy, because what comes over the wire need not lie at a multiple of four bytes.
    this.places = new Float32Array(bytes(this.model.get("places")).slice().buffer);
    this.axes = this.model.get("axes");
    this.frame = this.model.get("frame");
    this.count = this.places.length / this.axes;
    this.codes = new Float32Array(new Uint16Array(bytes(this.model.get("codes")).slice().buffer));
    this.shares = Float32Array.from(bytes(this.model.get("shares")), (share) => share / 255);
    if (this.shares.length !== this.count) this.shares = new Float32Array(this.count).fill(0.5);
    this.palette = bytes(this.model.get("palette"));
    this.mark();
  }

  mark() {
    const selected = bits(bytes(this.model.get("selected")), this.count);
    const hidden = bits(bytes(this.model.get("hidden")), this.count);
    this.flags = Float32Array.from(selected, (is, at) => is * SELECTED + hidden[at] * HIDDEN);
    this.any = selected.includes(1);
  }

  // The point next to a place as it is seen, the nearest to the eye of several there.
  nearest(place, reach, turn) {
    const [right, up, near] = turn;
    let found = -1;
    let least = reach * reach;
    let front = -Infinity;
    for (let at = 0; at < this.count; at++) {
      const [x, y] = [this.places[this.axes * at], this.places[this.axes * at + 1]];
      const z = this.axes === 3 ? this.places[3 * at + 2] : 0;
      const dx = right[0] * x + right[1] * y + right[2] * z - place[0];
      const dy = up[0] * x + up[1] * y + up[2] * z - place[1];
      const away = dx * dx + dy * dy;
      if (away > least || this.flags[at] >= HIDDEN) continue;
      const depth = near[0] * x + near[1] * y + near[2] * z;
      if (away === least && depth <= front) continue;
      [least, front, found] = [away, depth, at];
    }
    return found;
  }
}

class Renderer {
  constructor(canvas, model) {
    this.model = model;
    this.gl = canvas.getContext("webgl2", { antialias: false, premultipliedAlpha: true });
    if (!this.gl) return;
    const gl = this.gl;
    this.program = program(gl);
    this.buffers = [3, 1, 1, 1].map((size, at) => {
      const buffer = gl.createBuffer();
      gl.bindBuffer(gl.ARRAY_BUFFER, buffer);
      gl.enableVertexAttribArray(at);
      gl.vertexAttribPointer(at, size, gl.FLOAT, false, 0, 0);
      return buffer;
    });
    this.texture = gl.createTexture();
    gl.bindTexture(gl.TEXTURE_2D, this.texture);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
    gl.texParameteri(gl.TEXTURE_2D, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
  }

  load(points, onlyFlags) {
    const gl = this.gl;
    const arrays = [points.places, points.codes, points.shares, points.flags];
    for (const [at, array] of arrays.entries()) {
      if (onlyFlags && at < 3) continue;
      gl.bindBuffer(gl.ARRAY_BUFFER, this.buffers[at]);
      if (at === 0) gl.vertexAttribPointer(0, points.axes, gl.FLOAT, false, 0, 0);
      gl.bufferData(gl.ARRAY_BUFFER, array, gl.DYNAMIC_DRAW);
    }
    if (onlyFlags) return;
    const rows = Math.max(1, Math.ceil(points.palette.length / 1024));
    const texels = new Uint8Array(rows * 1024);
    texels.set(points.palette);
    gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA, 256, rows, 0, gl.RGBA, gl.UNSIGNED_BYTE, texels);
  }

  draw(points, camera, ratio) {
    const gl = this.gl;
    const at = (name) => gl.getUniformLocation(this.program, name);
    gl.viewport(0, 0, gl.canvas.width, gl.canvas.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    gl.useProgram(this.program);
    gl.uniformMatrix3fv(at("turn"), true, camera.turn.flat());
    if (points.axes === 3) gl.enable(gl.DEPTH_TEST);
    else gl.disable(gl.DEPTH_TEST);
    gl.uniform2f(at("centre"), ...camera.centre);
    gl.uniform2f(at("scale"), (2 * camera.pixels) / camera.width, (2 * camera.pixels) / camera.height);
    gl.uniform1f(at("size"), this.model.get("size") * ratio * Math.min(camera.zoom ** 0.5, 4));
    gl.uniform1f(at("spread"), this.model.get("spread"));
    gl.uniform1f(at("dimmed"), points.any ? 0.25 : 1);
    gl.uniform4f(at("ring"), 1, 0.55, 0.1, 1);
    for (const pass of points.any ? [0, 1] : [0]) {
      gl.uniform1f(at("pass"), pass);
      gl.clear(gl.DEPTH_BUFFER_BIT); // what is selected is seen through what is not
      gl.drawArrays(gl.POINTS, 0, points.count);
    }
  }
}

// Which part of the map is seen; the map lies from -1/2 to 1/2.
class Camera {
  constructor() {
    this.width = this.height = 1;
    this.fit();
  }

  // What is seen, but for the size of the pane.
  get view() {
    return { centre: this.centre, zoom: this.zoom, turn: this.turn };
  }

  fit() {
    this.centre = [0, 0];
    this.zoom = 1;
    // What is to the right, upwards and towards the eye.
    this.turn = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
  }

  rotate(dx, dy) {
    const [right, up, near] = this.turn;
    const [a, b] = [TURN * dx, TURN * dy];
    const mix = (one, other, angle) => one.map((part, at) => part * Math.cos(angle) + other[at] * Math.sin(angle));
    const [turned, away] = [mix(right, near, a), mix(near, right, -a)];
    this.turn = [turned, mix(up, away, -b), mix(away, up, b)];
  }

  get pixels() {
    return Math.min(this.width, this.height) * MARGIN * this.zoom;
  }

  place(x, y) {
    return [
      this.centre[0] + (x - this.width / 2) / this.pixels,
      this.centre[1] - (y - this.height / 2) / this.pixels,
    ];
  }

  move(dx, dy) {
    this.centre = [this.centre[0] - dx / this.pixels, this.centre[1] + dy / this.pixels];
  }

  zoomAt(x, y, factor) {
    const before = this.place(x, y);
    this.zoom = Math.min(1000, Math.max(0.2, this.zoom * factor));
    const after = this.place(x, y);
    this.centre = [this.centre[0] + before[0] - after[0], this.centre[1] + before[1] - after[1]];
  }
}

function modeOf(event) {
  const less = event.ctrlKey || event.metaKey || event.altKey;
  if (event.shiftKey) return less ? "intersect" : "add";
  return less ? "subtract" : "replace";
}

// What the mouse does: moves the view, draws a loop, or picks a point.
class Pointer {
  constructor(pane) {
    this.pane = pane;
    this.path = null;
    const el = pane.overlay;
    el.onpointerdown = (event) => this.press(event);
    el.onpointermove = (event) => this.move(event);
    el.onpointerup = (event) => this.release(event);
    el.onpointercancel = () => this.giveUp();
    el.onpointerleave = () => pane.hover(-1);
    el.onwheel = (event) => {
      event.preventDefault();
      pane.camera.zoomAt(event.offsetX, event.offsetY, Math.exp(-event.deltaY / 400));
      pane.look();
    };
    el.ondblclick = () => {
      pane.camera.fit();
      pane.look();
    };
    el.onkeydown = (event) => {
      if (event.key === "Escape") this.giveUp();
    };
  }

  press(event) {
    if (event.button !== 0) return;
    this.pane.overlay.focus({ preventScroll: true });
    this.pane.overlay.setPointerCapture(event.pointerId);
    this.path = [[event.offsetX, event.offsetY]];
  }

  move(event) {
    const { camera, model } = this.pane;
    const here = [event.offsetX, event.offsetY];
    if (!this.path) {
      this.pane.hover(this.pane.nearest(here));
      return;
    }
    const last = this.path[this.path.length - 1];
    if (model.get("tool") === "move") {
      const by = [here[0] - last[0], here[1] - last[1]];
      if (this.pane.points.axes === 3 && !event.shiftKey) camera.rotate(...by);
      else camera.move(...by);
      this.pane.look();
    }
    if (model.get("tool") === "rectangle") this.path = [this.path[0], here];
    else this.path.push(here);
    this.pane.sketch(this.corners());
  }

  release(event) {
    if (!this.path) return;
    // A browser that is busy may tell of no move before.
    const [x, y] = this.path.at(-1);
    if (event.offsetX !== x || event.offsetY !== y) this.move(event);
    const [start, path] = [this.path[0], this.path];
    const far = Math.max(...path.map((at) => Math.hypot(at[0] - start[0], at[1] - start[1])));
    const corners = this.corners();
    this.giveUp();
    const { camera, model, points } = this.pane;
    const mode = modeOf(event);
    if (far < SHORTEST) {
      model.send({ kind: "clicked", row: this.pane.nearest(start), frame: points.frame, mode });
    } else if (corners) {
      const turn = camera.turn.slice(0, 2).map((axis) => axis.slice(0, points.axes));
      const places = corners.map((at) => camera.place(...at));
      model.send({ kind: "drawn", corners: places, turn, tool: model.get("tool"), mode });
    }
  }

  corners() {
    if (!this.path || this.pane.model.get("tool") === "move") return null;
    if (this.pane.model.get("tool") === "lasso") return this.path;
    const [[left, top], [right, bottom]] = [this.path[0], this.path[this.path.length - 1]];
    return [[left, top], [right, top], [right, bottom], [left, bottom]];
  }

  giveUp() {
    this.path = null;
    this.pane.sketch(null);
  }
}

class Pane {
  constructor(model, el) {
    this.model = model;
    el.classList.add("latentmap-map");
    this.canvas = document.createElement("canvas");
    // Not a second canvas: in Chromium without a graphics card, what was cleared there came back now and then.
    this.overlay = document.createElementNS(SVG, "svg");
    this.outline = document.createElementNS(SVG, "polygon");
    this.overlay.append(this.outline);
    this.overlay.tabIndex = 0;
    this.renderer = new Renderer(this.canvas, model);
    if (!this.renderer.gl) {
      el.textContent = "This browser has no WebGL 2, which draws the map: another browser, or its settings, may help.";
      return;
    }
    this.box = document.createElement("div");
    this.box.className = "latentmap-canvases";
    this.box.append(this.canvas, this.overlay, this.toolbar());
    el.append(this.box);
    this.points = new Points(model);
    this.camera = new Camera();
    this.hovered = -1;
    this.pointer = new Pointer(this);
    this.watches = {
      "change:frame": () => this.load(false),
      "change:marks": () => this.load(true),
      "change:size": () => this.redraw(),
      "change:height": () => this.resize(),
      "change:tool": () => this.showTool(),
      "change:view": () => this.take(),
    };
    for (const [name, act] of Object.entries(this.watches)) model.on(name, act);
    this.abort = new AbortController();
    const { signal } = this.abort;
    this.canvas.addEventListener("webglcontextlost", (event) => event.preventDefault(), { signal });
    this.canvas.addEventListener("webglcontextrestored", () => this.restore(), { signal });
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(this.box);
    this.pace = new Pace(this.renderer.gl, this.box);
    this.take();
    this.load(false);
    this.showTool();
  }

  // Takes the view that Python, or the map beside, has set.
  take() {
    const { centre, zoom, turn } = this.model.get("view");
    this.camera.fit();
    if (zoom) Object.assign(this.camera, { centre, zoom });
    if (turn && this.model.get("axes") === 3) this.camera.turn = turn; // the map beside may be a flat one
    this.redraw();
  }

  // Draws what the user has moved to, and tells of it.
  look() {
    this.redraw();
    this.telling ??= requestAnimationFrame(() => {
      this.telling = undefined;
      this.model.set("view", this.camera.view);
      this.model.save_changes();
    });
  }

  toolbar() {
    const bar = document.createElement("div");
    bar.className = "latentmap-tools";
    this.buttons = TOOLS.map(([tool, about]) => {
      const button = document.createElement("button");
      button.textContent = tool;
      button.title = about;
      button.setAttribute("aria-label", tool);
      button.onclick = () => {
        this.model.set("tool", tool);
        this.model.save_changes();
      };
      bar.append(button);
      return button;
    });
    return bar;
  }

  showTool() {
    const tool = this.model.get("tool");
    for (const button of this.buttons) button.classList.toggle("on", button.getAttribute("aria-label") === tool);
    this.overlay.style.cursor = tool === "move" ? "grab" : "crosshair";
  }

  load(onlyFlags) {
    if (onlyFlags) this.points.mark();
    else this.points.read();
    this.renderer.load(this.points, onlyFlags);
    this.redraw();
  }

  // What the graphics card had is lost: all of it is made anew.
  restore() {
    this.renderer = new Renderer(this.canvas, this.model);
    this.load(false);
  }

  resize() {
    const [width, height] = [this.box.clientWidth, this.model.get("height")];
    if (!width) return;
    this.ratio = window.devicePixelRatio || 1;
    this.box.style.height = `${height}px`;
    this.canvas.width = width * this.ratio;
    this.canvas.height = height * this.ratio;
    Object.assign(this.camera, { width, height });
    this.redraw();
  }

  redraw() {
    this.waiting ??= requestAnimationFrame(() => {
      this.waiting = undefined;
      if (!this.ratio || this.renderer.gl.isContextLost()) return;
      const begun = performance.now();
      this.renderer.draw(this.points, this.camera, this.ratio);
      this.pace.drawn(begun);
      const frame = this.model.get("frame");
      this.canvas.dataset.frame = frame;
      this.canvas.dataset.marks = this.model.get("marks");
      if (frame - this.told < TOLD) return;
      this.model.send({ kind: "shown", frame });
      this.told = frame;
    });
  }

  nearest([x, y]) {
    return this.points.nearest(this.camera.place(x, y), REACH / this.camera.pixels, this.camera.turn);
  }

  sketch(corners) {
    this.outline.setAttribute("points", (corners ?? []).join(" "));
  }

  hover(row) {
    if (row === this.hovered) return;
    this.hovered = row;
    this.model.send({ kind: "hovered", row, frame: this.points.frame });
  }

  close() {
    for (const [name, act] of Object.entries(this.watches ?? {})) this.model.off(name, act);
    this.abort?.abort();
    this.observer?.disconnect();
    cancelAnimationFrame(this.waiting);
    cancelAnimationFrame(this.telling);
    this.renderer.gl?.getExtension("WEBGL_lose_context")?.loseContext();
  }
}

function render({ model, el }) {
  const pane = new Pane(lineOf(model, el), el);
  return () => pane.close();
}

export default { render };
