// The image pane in the browser: asks for the tiles in view, draws them, and tells what the mouse does.
//
// Places in a picture are rows and columns of its highest resolution, whole numbers in the middle of pixels. What is
// looked at is the model's, so that all views of a pane show the same; a view only has its own size.

const NO_CELL = 0;
const UNKNOWN_CELL = 0xffffffff;
const LABELS = -1;
// Colours and selection are textures of this width: a number's place in them is a row and a column.
const WIDTH = 4096;
const MOST_BYTES = 300 * 2 ** 20;
// So many tiles are under way at most: the kernel is never busy for long, and what has left the view is not asked for.
const MOST_ASKED = 4;
// After so many milliseconds a question counts as lost: the kernel was interrupted, or the computer has slept.
const PATIENCE = 60_000;
// How large a tile's pixels may be on the screen, in pixels of the screen, before finer ones are asked for.
const SHARPNESS = 1.25;
const SAVE_EVERY = 150;
const HOVER_EVERY = 60;
const LARGEST_ZOOM = 64;
// Moves that are shorter, in pixels of the screen, make no drag of a click, and add nothing to a loop.
const SHORTEST = 3;
const DOUBLE_CLICK = 400;
// What napari spells out.
const SHORT_UNITS = { um: "µm", micrometer: "µm", micron: "µm", nanometer: "nm", millimeter: "mm", angstrom: "Å" };
const TOOLS = { move: "Move the image", lasso: "Draw round cells", rectangle: "Draw a rectangle round cells" };

const clamp = (value, low, high) => Math.min(Math.max(value, low), high);
const bytesOf = (data) =>
  data.buffer ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : new Uint8Array(data);

/* ---------------------------------------------------------------- What is looked at */

/** The picture in view and the place in it: the model's, for a canvas of some size. */
class Scene {
  constructor(model) {
    this.model = model;
    this.width = this.height = 0;
    this.saving = null;
  }

  get view() {
    return this.model.get("_view");
  }

  get picture() {
    return this.model.get("_pictures")[this.view.picture];
  }

  get looks() {
    return this.model.get("_looks")[this.view.picture];
  }

  /** What is drawn at all: the labels, and the channels that are switched on. */
  get sources() {
    const channels = this.looks.flatMap((look, number) => (look.visible ? [number] : []));
    return this.picture.labels ? [LABELS, ...channels] : channels;
  }

  get fit() {
    const [rows, columns] = this.picture.size;
    return Math.min(this.width / columns, this.height / rows, LARGEST_ZOOM);
  }

  get camera() {
    const { row, column, zoom } = this.view;
    const [rows, columns] = this.picture.size;
    return zoom === null ? { row: (rows - 1) / 2, column: (columns - 1) / 2, zoom: this.fit } : { row, column, zoom };
  }

  /** From the canvas to the picture. */
  placeAt(x, y) {
    const { row, column, zoom } = this.camera;
    return { row: row + (y - this.height / 2) / zoom, column: column + (x - this.width / 2) / zoom };
  }

  /** From the picture to the canvas. */
  pointAt(row, column) {
    const camera = this.camera;
    return [
      (column - camera.column) * camera.zoom + this.width / 2,
      (row - camera.row) * camera.zoom + this.height / 2,
    ];
  }

  move(x, y) {
    const { row, column, zoom } = this.camera;
    const [rows, columns] = this.picture.size;
    this.look({
      row: clamp(row - y / zoom, 0, rows - 1),
      column: clamp(column - x / zoom, 0, columns - 1),
      zoom,
    });
  }

  /** What is at a point of the canvas stays there. */
  zoomAt(x, y, times) {
    const before = this.placeAt(x, y);
    const camera = this.camera;
    const zoom = clamp(camera.zoom * times, Math.min(this.fit, 1) / 2, LARGEST_ZOOM);
    this.look({
      row: before.row - (before.row - camera.row) * (camera.zoom / zoom),
      column: before.column - (before.column - camera.column) * (camera.zoom / zoom),
      zoom,
    });
  }

  look(change) {
    this.set("_view", { ...this.view, ...change });
  }

  /** Another picture is looked at where this one was, as far as it is as large. */
  choose(number) {
    const next = this.model.get("_pictures")[number];
    const { frame, plane } = this.view;
    const alike = next.size.every((length, axis) => length === this.picture.size[axis]);
    this.look({
      picture: number,
      frame: Math.min(frame, (next.frames ?? 1) - 1),
      plane: Math.min(plane, (next.planes ?? 1) - 1),
      ...(alike ? {} : { zoom: null }),
    });
  }

  adjust(channel, change) {
    const all = [...this.model.get("_looks")];
    all[this.view.picture] = this.looks.map((look, number) => (number === channel ? { ...look, ...change } : look));
    this.set("_looks", all);
  }

  /** The views follow at once, the kernel now and then. */
  set(name, value) {
    this.model.set(name, value);
    this.saving ??= setTimeout(() => this.save(), SAVE_EVERY);
  }

  save() {
    if (this.saving === null) return;
    clearTimeout(this.saving);
    this.saving = null;
    this.model.save_changes();
  }
}

/* ---------------------------------------------------------------- Tiles */

/** The tiles that a scene needs, and where they lie in it. */
class Grid {
  constructor({ picture, view, camera, width, height, sources }, ratio) {
    this.picture = picture;
    this.view = view;
    this.sources = sources;
    const finest = 1 / (camera.zoom * ratio);
    this.level = Math.max(0, picture.factors.findLastIndex((factor) => factor <= SHARPNESS * finest));
    const side = picture.side * picture.factors[this.level];
    const span = (middle, length, size) => {
      const last = Math.ceil(size / side) - 1;
      const half = length / 2 / camera.zoom;
      return [
        clamp(Math.floor((middle + 0.5 - half) / side), 0, last),
        clamp(Math.ceil((middle + 0.5 + half) / side) - 1, 0, last),
      ];
    };
    const [top, bottom] = span(camera.row, height, picture.size[0]);
    const [left, right] = span(camera.column, width, picture.size[1]);
    this.cells = [];
    for (let row = top; row <= bottom; row++)
      for (let column = left; column <= right; column++) this.cells.push([row, column]);
    const distance = ([row, column]) =>
      Math.hypot((row + 0.5) * side - camera.row, (column + 0.5) * side - camera.column);
    this.cells.sort((one, other) => distance(one) - distance(other));
  }

  tile(source, level, row, column) {
    const { picture, frame, plane } = this.view;
    return { picture, source, level, frame, plane, row, column };
  }

  /** First the whole picture, coarse, which stands in for what is under way; then from the middle outwards. */
  get tiles() {
    const coarsest = this.picture.factors.length - 1;
    const fine = this.level === coarsest ? [] : this.cells;
    return [
      ...this.sources.map((source) => this.tile(source, coarsest, 0, 0)),
      ...fine.flatMap(([row, column]) => this.sources.map((source) => this.tile(source, this.level, row, column))),
    ];
  }

  /** The finest tile that there is for a cell of the grid, and the cell's corners in its pixels and in the picture's. */
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

const keyOf = ({ picture, source, level, frame, plane, row, column }) =>
  [picture, source, level, frame, plane, row, column].join();

/** Textures of tiles, of which those not seen for longest are let go. */
class Cache {
  constructor(gl) {
    this.gl = gl;
    this.entries = new Map();
    this.bytes = 0;
  }

  get(tile) {
    return this.entries.get(keyOf(tile));
  }

  has(tile) {
    return this.entries.has(keyOf(tile));
  }

  /** Marks as seen. */
  touch(tiles) {
    for (const key of tiles.map(keyOf)) {
      const entry = this.entries.get(key);
      if (entry && this.entries.delete(key)) this.entries.set(key, entry);
    }
  }

  /** Keeps pixels; a tile that could not be read is kept as a hole, lest it be asked for again and again. */
  put(tile, kind, shape, bytes) {
    this.drop(keyOf(tile));
    const texture = bytes ? makeTexture(this.gl, kind, shape[1], shape[0], bytes) : null;
    this.entries.set(keyOf(tile), { tile, kind, shape, texture, n: bytes?.byteLength ?? 0 });
    this.bytes += bytes?.byteLength ?? 0;
  }

  /** Keeps within bounds, but never lets go of what is in view. */
  trim(tiles) {
    const needed = new Set(tiles.map(keyOf));
    for (const key of this.entries.keys()) {
      if (this.bytes <= MOST_BYTES) return;
      if (!needed.has(key)) this.drop(key);
    }
  }

  dropIf(test) {
    for (const [key, { tile }] of this.entries) if (test(tile)) this.drop(key);
  }

  drop(key) {
    const entry = this.entries.get(key);
    if (!entry) return;
    this.gl.deleteTexture(entry.texture);
    this.bytes -= entry.n;
    this.entries.delete(key);
  }
}

/** Asks the kernel for what the views of a model miss, a few tiles at a time. */
class Loader {
  static of = new WeakMap();

  static join(model, view) {
    if (!Loader.of.has(model)) Loader.of.set(model, new Loader(model));
    const loader = Loader.of.get(model);
    loader.views.unshift(view);
    return loader;
  }

  constructor(model) {
    this.model = model;
    this.views = [];
    this.asked = new Map();
    this.hear = (message, buffers) => message.type === "tile" && this.receive(message, buffers);
    model.on("msg:custom", this.hear);
  }

  leave(view) {
    this.views = this.views.filter((one) => one !== view);
    if (this.views.length) return;
    this.model.off("msg:custom", this.hear);
    Loader.of.delete(this.model);
  }

  ask() {
    const now = performance.now();
    for (const [key, since] of this.asked) if (now - since > PATIENCE) this.asked.delete(key);
    for (const tile of this.views.flatMap((view) => view.missing)) {
      if (this.asked.size >= MOST_ASKED) return;
      if (this.asked.has(keyOf(tile))) continue;
      this.asked.set(keyOf(tile), now);
      this.model.send({ type: "tile", tile });
    }
  }

  async receive({ tile, shape, packed, error }, buffers) {
    const version = () => this.model.get("_pictures")[tile.picture].version;
    const then = version();
    let bytes = error ? null : bytesOf(buffers[0]);
    if (packed) bytes = await unpack(bytes);
    this.asked.delete(keyOf(tile));
    // While it was unpacked the cells may have got other numbers.
    if (version() === then) for (const view of this.views) view.receive(tile, shape, bytes, error);
    this.ask();
  }
}

async function unpack(bytes) {
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

/* ---------------------------------------------------------------- Drawing */

// The corners of a piece of the canvas, from no data but the number of the corner.
const CORNERS = `#version 300 es
uniform vec4 box;      // left, top, right, bottom: of the canvas, from -1 to 1
uniform vec4 texels;   // the same, of the tile
out vec2 texel;
void main() {
  vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
  texel = mix(texels.xy, texels.zw, corner);
  gl_Position = vec4(mix(box.xy, box.zw, corner), 0, 1);
}`;

// A channel's tile. Values of two bytes are red and green; their sum is the value again.
const LIGHT = `#version 300 es
precision highp float;
uniform sampler2D tile;
uniform vec2 decode;
uniform vec2 limits;
uniform vec3 colour;
uniform bool hasColours;
in vec2 texel;
out vec4 light;
void main() {
  vec4 value = texelFetch(tile, min(ivec2(texel), textureSize(tile, 0) - 1), 0);
  float share = (dot(value.rg, decode) - limits.x) / (limits.y - limits.x);
  light = vec4(hasColours ? value.rgb : clamp(share, 0.0, 1.0) * colour, 1);
}`;

const NUMBERS = `#version 300 es
precision highp float;
precision highp usampler2D;
uniform usampler2D tile;
in vec2 texel;
out uint number;
void main() {
  number = texelFetch(tile, min(ivec2(texel), textureSize(tile, 0) - 1), 0).r;
}`;

// Lays the cells over the image. A cell's number is one more than its place among the colours.
const CELLS = `#version 300 es
precision highp float;
precision highp usampler2D;
uniform sampler2D light;
uniform usampler2D numbers;
uniform sampler2D colours;
uniform usampler2D selected;
uniform uint nColours;
uniform uint nSelected;
uniform uint pointed;
uniform float opacity;
uniform vec3 highlight;
uniform int line;
uniform vec4 inside;   // what the picture covers: left, bottom, right, top, in pixels of the canvas
out vec4 result;

const vec4 GREY = vec4(0.62, 0.62, 0.62, 0);
const ivec2 BESIDE[4] = ivec2[4](ivec2(1, 0), ivec2(-1, 0), ivec2(0, 1), ivec2(0, -1));

ivec2 place(uint number) { return ivec2(number & 4095u, number >> 12); }

bool isSelected(uint cell) {
  return (cell >> 3) < nSelected && ((texelFetch(selected, place(cell >> 3), 0).r >> (7u - (cell & 7u))) & 1u) == 1u;
}

bool isEdge(ivec2 at, uint own, int width) {
  for (int step = 1; step <= width; step++)
    for (int side = 0; side < 4; side++) {
      ivec2 beside = at + step * BESIDE[side];
      if (any(lessThan(vec2(beside), inside.xy)) || any(greaterThanEqual(vec2(beside), inside.zw))) continue;
      if (texelFetch(numbers, clamp(beside, ivec2(0), textureSize(numbers, 0) - 1), 0).r != own) return true;
    }
  return false;
}

void main() {
  ivec2 at = ivec2(gl_FragCoord.xy);
  if (any(lessThan(gl_FragCoord.xy, inside.xy)) || any(greaterThan(gl_FragCoord.xy, inside.zw))) discard;
  vec3 seen = texelFetch(light, at, 0).rgb;
  uint number = texelFetch(numbers, at, 0).r;
  uint cell = number - 1u;
  bool isCell = number != 0u;
  bool isChosen = isCell && isSelected(cell);
  if (isCell) {
    vec4 tint = cell < nColours ? texelFetch(colours, place(cell), 0) : GREY;
    bool isOutline = isEdge(at, number, isChosen || number == pointed ? 2 * line : line);
    seen = mix(seen, tint.rgb, isOutline ? 0.9 : opacity * tint.a);
    if (isChosen) seen = isOutline ? mix(highlight, vec3(1), 0.5) : mix(seen, highlight, 0.75);
    if (number == pointed && isOutline) seen = vec3(1);
  }
  result = vec4(nSelected == 0u || isChosen || (isCell && number == pointed) ? seen : 0.4 * seen, 1);
}`;

const FORMATS = {
  uint8: ["R8", "RED", "UNSIGNED_BYTE", Uint8Array],
  uint16: ["RG8", "RG", "UNSIGNED_BYTE", Uint8Array],
  float32: ["R32F", "RED", "FLOAT", Float32Array],
  rgb: ["RGB8", "RGB", "UNSIGNED_BYTE", Uint8Array],
  rgba: ["RGBA8", "RGBA", "UNSIGNED_BYTE", Uint8Array],
  bits: ["R8UI", "RED_INTEGER", "UNSIGNED_BYTE", Uint8Array],
  numbers: ["R32UI", "RED_INTEGER", "UNSIGNED_INT", Uint32Array],
};
// What the red and green of a texture count. Where a channel has a `span`, its bytes go from the one to the other.
const DECODE = { uint8: [255, 0], uint16: [255, 255 * 256], float32: [1, 0], rgb: [255, 0] };

function makeTexture(gl, kind, width, height, bytes = null) {
  const [inner, format, type, Items] = FORMATS[kind];
  const texture = gl.createTexture();
  gl.bindTexture(gl.TEXTURE_2D, texture);
  for (const filter of [gl.TEXTURE_MIN_FILTER, gl.TEXTURE_MAG_FILTER])
    gl.texParameteri(gl.TEXTURE_2D, filter, gl.NEAREST);
  for (const wrap of [gl.TEXTURE_WRAP_S, gl.TEXTURE_WRAP_T])
    gl.texParameteri(gl.TEXTURE_2D, wrap, gl.CLAMP_TO_EDGE);
  gl.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
  // A copy, for what comes in a message need not begin where numbers of four bytes may.
  const items = bytes && (Items === Uint8Array ? bytes : new Items(bytes.slice().buffer));
  gl.texImage2D(gl.TEXTURE_2D, 0, gl[inner], width, height, 0, gl[format], gl[type], items);
  return texture;
}

class Program {
  constructor(gl, fragments) {
    this.gl = gl;
    this.program = gl.createProgram();
    for (const [type, source] of [[gl.VERTEX_SHADER, CORNERS], [gl.FRAGMENT_SHADER, fragments]]) {
      const shader = gl.createShader(type);
      gl.shaderSource(shader, source);
      gl.compileShader(shader);
      gl.attachShader(this.program, shader);
      gl.deleteShader(shader);
    }
    gl.linkProgram(this.program);
    if (!gl.getProgramParameter(this.program, gl.LINK_STATUS) && !gl.isContextLost())
      throw new Error(`The image pane's shaders do not run here: ${gl.getProgramInfoLog(this.program)}`);
    this.places = new Map();
  }

  use() {
    this.gl.useProgram(this.program);
  }

  /** `kind` is the end of a function's name: "1f", "2fv", ... */
  set(kind, name, value) {
    if (!this.places.has(name)) this.places.set(name, this.gl.getUniformLocation(this.program, name));
    this.gl[`uniform${kind}`](this.places.get(name), value);
  }

  texture(unit, name, texture) {
    this.gl.activeTexture(this.gl.TEXTURE0 + unit);
    this.gl.bindTexture(this.gl.TEXTURE_2D, texture);
    this.set("1i", name, unit);
  }

  draw(box, texels = [0, 0, 1, 1]) {
    this.set("4fv", "box", box);
    this.set("4fv", "texels", texels);
    this.gl.drawArrays(this.gl.TRIANGLE_STRIP, 0, 4);
  }
}

/** Draws the channels' light and the cells' numbers apart, and then the one over the other: a selection only does that. */
class Renderer {
  constructor(gl) {
    this.gl = gl;
    this.light = new Program(gl, LIGHT);
    this.numbers = new Program(gl, NUMBERS);
    this.cells = new Program(gl, CELLS);
    gl.bindVertexArray(gl.createVertexArray());
    this.targets = null;
    this.colours = this.list("rgba", new Uint8Array(0), 4);
    this.selected = this.list("bits", new Uint8Array(0), 1);
    this.inside = [0, 0, 0, 0];
  }

  /** A texture of a list, in as many rows as it takes. */
  list(kind, bytes, itemSize) {
    const n = bytes.byteLength / itemSize;
    const rows = Math.max(1, Math.ceil(n / WIDTH));
    const padded = new Uint8Array(rows * WIDTH * itemSize);
    padded.set(bytes);
    return { n, texture: makeTexture(this.gl, kind, WIDTH, rows, padded) };
  }

  setColours(bytes) {
    this.gl.deleteTexture(this.colours.texture);
    this.colours = this.list("rgba", bytes, 4);
  }

  setSelected(bytes) {
    this.gl.deleteTexture(this.selected.texture);
    this.selected = this.list("bits", bytes, 1);
  }

  resize(width, height) {
    const { gl } = this;
    if (this.targets?.width === width && this.targets.height === height) return;
    for (const { frame, texture } of this.targets?.all ?? []) {
      gl.deleteFramebuffer(frame);
      gl.deleteTexture(texture);
    }
    const [light, numbers] = ["rgba", "numbers"].map((kind) => {
      const texture = makeTexture(gl, kind, width, height);
      const frame = gl.createFramebuffer();
      gl.bindFramebuffer(gl.FRAMEBUFFER, frame);
      gl.framebufferTexture2D(gl.FRAMEBUFFER, gl.COLOR_ATTACHMENT0, gl.TEXTURE_2D, texture, 0);
      return { frame, texture };
    });
    this.targets = { width, height, light, numbers, all: [light, numbers] };
  }

  drawTiles(grid, scene, cache) {
    const { gl, targets } = this;
    gl.viewport(0, 0, targets.width, targets.height);
    gl.bindFramebuffer(gl.FRAMEBUFFER, targets.light.frame);
    gl.clearBufferfv(gl.COLOR, 0, [0, 0, 0, 0]);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.ONE, gl.ONE);
    this.light.use();
    for (const source of grid.sources.filter((source) => source !== LABELS)) {
      const { colour, limits } = scene.looks[source];
      const { kind, span } = scene.picture.channels[source];
      const [low, high] = span ?? [0, 0];
      this.light.set("2fv", "decode", span ? [high - low, 0] : DECODE[kind]);
      this.light.set("2fv", "limits", limits.map((end) => end - low));
      this.light.set("3fv", "colour", colour ?? [1, 1, 1]);
      this.light.set("1i", "hasColours", kind === "rgb");
      this.drawSource(this.light, source, grid, scene, cache);
    }
    gl.disable(gl.BLEND);
    gl.bindFramebuffer(gl.FRAMEBUFFER, targets.numbers.frame);
    gl.clearBufferuiv(gl.COLOR, 0, [NO_CELL, 0, 0, 0]);
    this.numbers.use();
    if (scene.picture.labels) this.drawSource(this.numbers, LABELS, grid, scene, cache);
    const [left, top, right, bottom] = this.boxOf([0, 0, ...scene.picture.size], scene);
    const toPixels = (share, length) => Math.round(((share + 1) / 2) * length);
    this.inside = [
      toPixels(left, targets.width),
      toPixels(bottom, targets.height),
      toPixels(right, targets.width),
      toPixels(top, targets.height),
    ];
  }

  drawSource(program, source, grid, scene, cache) {
    for (const cell of grid.cells) {
      const drawn = grid.find(source, cell, cache);
      if (!drawn?.found.texture) continue;
      const [top, left, bottom, right] = drawn.texels;
      program.texture(0, "tile", drawn.found.texture);
      program.draw(this.boxOf(drawn.box, scene), [left, top, right, bottom]);
    }
  }

  /** From edges of pixels, top, left, bottom, right, to the canvas from -1 to 1, left, top, right, bottom. */
  boxOf([top, left, bottom, right], scene) {
    const x = (column) => (2 * scene.pointAt(0, column - 0.5)[0]) / scene.width - 1;
    const y = (row) => 1 - (2 * scene.pointAt(row - 0.5, 0)[1]) / scene.height;
    return [x(left), y(top), x(right), y(bottom)];
  }

  drawCells({ opacity, highlight, pointed, line }) {
    const { gl, cells, targets } = this;
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, targets.width, targets.height);
    gl.clearColor(0, 0, 0, 0);
    gl.clear(gl.COLOR_BUFFER_BIT);
    cells.use();
    cells.texture(0, "light", targets.light.texture);
    cells.texture(1, "numbers", targets.numbers.texture);
    cells.texture(2, "colours", this.colours.texture);
    cells.texture(3, "selected", this.selected.texture);
    cells.set("1ui", "nColours", this.colours.n);
    cells.set("1ui", "nSelected", this.selected.n);
    cells.set("1ui", "pointed", pointed === null ? NO_CELL : pointed + 1);
    cells.set("1f", "opacity", opacity);
    cells.set("3fv", "highlight", highlight);
    cells.set("1i", "line", line);
    cells.set("4fv", "inside", this.inside);
    cells.draw([-1, -1, 1, 1]);
  }

  /** The number of the cell drawn at a pixel of the canvas, or null. */
  numberAt(x, y) {
    const { gl, targets } = this;
    if (!targets) return null;
    const pixel = new Uint32Array(4);
    gl.bindFramebuffer(gl.FRAMEBUFFER, targets.numbers.frame);
    gl.readPixels(x, targets.height - 1 - y, 1, 1, gl.RGBA_INTEGER, gl.UNSIGNED_INT, pixel);
    return pixel[0] === NO_CELL || pixel[0] === UNKNOWN_CELL ? null : pixel[0] - 1;
  }
}

/* ---------------------------------------------------------------- The mouse and the keys */

/** What the keys held mean for the selection, as everywhere in latentmap. */
function modeOf(event) {
  const takesAway = event.ctrlKey || event.metaKey || event.altKey;
  if (event.shiftKey) return takesAway ? "intersect" : "add";
  return takesAway ? "subtract" : "replace";
}

/** Makes moves, clicks and loops of what happens on the canvas. */
class Pointer {
  constructor(view, canvas, trail, signal) {
    this.view = view;
    this.canvas = canvas;
    this.trail = trail;
    this.drag = null;
    this.hoverTimer = null;
    const on = (name, hear, options = {}) => canvas.addEventListener(name, hear, { signal, ...options });
    on("pointerdown", (event) => this.press(event));
    on("pointermove", (event) => this.move(event));
    on("pointerup", (event) => this.release(event));
    on("pointercancel", () => this.giveUp());
    on("pointerleave", () => this.hover(null));
    on("dblclick", () => this.view.tool === "move" && this.view.scene.look({ zoom: null }));
    on("wheel", (event) => this.wheel(event), { passive: false });
    on("keydown", (event) => this.key(event));
    // Control and a click is what opens a menu on a Mac.
    on("contextmenu", (event) => event.ctrlKey && event.preventDefault());
    signal.addEventListener("abort", () => clearTimeout(this.hoverTimer));
  }

  pointOf(event) {
    const box = this.canvas.getBoundingClientRect();
    const { width, height } = this.view.scene;
    return [((event.clientX - box.left) * width) / box.width, ((event.clientY - box.top) * height) / box.height];
  }

  press(event) {
    if (event.button > 1 || this.drag) return;
    event.preventDefault();
    this.canvas.focus({ preventScroll: true });
    this.canvas.setPointerCapture(event.pointerId);
    const tool = event.button === 1 ? "move" : this.view.tool;
    const point = this.pointOf(event);
    this.drag = { tool, button: event.button, mode: modeOf(event), start: point, last: point, points: [point] };
  }

  move(event) {
    const point = this.pointOf(event);
    const { drag } = this;
    if (!drag) return this.hover(point);
    drag.isDrag ||= Math.hypot(point[0] - drag.start[0], point[1] - drag.start[1]) >= SHORTEST;
    if (!drag.isDrag) return;
    if (drag.tool === "move") this.view.scene.move(point[0] - drag.last[0], point[1] - drag.last[1]);
    else this.draw(point);
    drag.last = point;
  }

  draw(point) {
    const { points, tool } = this.drag;
    const [x, y] = points.at(-1);
    if (tool === "rectangle") this.drag.points = rectangle(points[0], point);
    else if (Math.hypot(point[0] - x, point[1] - y) >= SHORTEST) points.push(point);
    this.trail.setAttribute("d", `M${this.drag.points.map((one) => one.join()).join("L")}Z`);
  }

  release(event) {
    const { drag } = this;
    if (!drag) return;
    // A browser that is busy may tell of no move before.
    this.move(event);
    this.giveUp();
    if (drag.isDrag) {
      if (drag.tool !== "move" && drag.points.length > 2) this.view.finish(drag);
    } else if (drag.button === 0 && !this.isSecond(event)) this.view.click(drag.start, drag.mode);
  }

  /** Whether it is the second click of a double one, which says nothing new. */
  isSecond({ timeStamp, clientX, clientY }) {
    const { before } = this;
    this.before = { timeStamp, clientX, clientY };
    return (
      timeStamp - before?.timeStamp < DOUBLE_CLICK &&
      Math.hypot(clientX - before.clientX, clientY - before.clientY) < SHORTEST
    );
  }

  giveUp() {
    this.drag = null;
    this.trail.removeAttribute("d");
  }

  wheel(event) {
    event.preventDefault();
    if (this.drag) return;
    const step = event.deltaMode === 1 ? 20 * event.deltaY : event.deltaY;
    this.view.scene.zoomAt(...this.pointOf(event), Math.exp(-clamp(step, -200, 200) / 400));
  }

  key(event) {
    const { scene } = this.view;
    const step = 60;
    const act = {
      Escape: () => this.giveUp(),
      ArrowLeft: () => scene.move(step, 0),
      ArrowRight: () => scene.move(-step, 0),
      ArrowUp: () => scene.move(0, step),
      ArrowDown: () => scene.move(0, -step),
      "+": () => scene.zoomAt(scene.width / 2, scene.height / 2, 1.5),
      "-": () => scene.zoomAt(scene.width / 2, scene.height / 2, 1 / 1.5),
      0: () => scene.look({ zoom: null }),
    }[event.key];
    if (!act || (event.key !== "Escape" && (event.ctrlKey || event.metaKey || event.altKey))) return;
    // The notebook has other uses for these keys.
    event.preventDefault();
    event.stopPropagation();
    act();
  }

  /** Looks now and then where the mouse is; the last place is never missed. */
  hover(point) {
    this.hovered = point;
    this.hoverTimer ??= setTimeout(() => {
      this.hoverTimer = null;
      this.view.point(this.hovered);
    }, HOVER_EVERY);
  }
}

const rectangle = ([left, top], [right, bottom]) => [[left, top], [right, top], [right, bottom], [left, bottom]];

/* ---------------------------------------------------------------- What is around the canvas */

const ICONS = {
  move: "M8 1.5v13M1.5 8h13M8 1.5 6 3.5M8 1.5l2 2M8 14.5l-2-2M8 14.5l2-2M1.5 8l2-2M1.5 8l2 2M14.5 8l-2-2M14.5 8l-2 2",
  lasso: "M5 11.2C2.9 10.5 1.5 9 1.5 7.2 1.5 4.6 4.4 2.5 8 2.500s6.5 2.1 6.5 4.700S11.6 12 8 12c-.6 0-1.2-.1-1.8-.2M5.2 10.200a1.3 1.3 0 1 1-.2 2.600c-.9 0-1.4-.8-1.2-1.5.2-.7.8-1.1 1.4-1.100ZM4.5 12.600c.3.9.2 1.7-.5 2.4",
  rectangle: "M2 5V2.500h3M7 2.500h2M11 2.500h3V5M14 7v2M14 11v2.500h-3M9 13.500H7M5 13.500H2V11M2 9V7",
  fit: "M2 5.500V2h3.500M10.5 2H14v3.500M14 10.500V14h-3.500M5.5 14H2v-3.500M5 6.500h6v3H5z",
};

/** An element, with attributes, properties that begin with a dot, and what is within. */
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith(".")) element[name.slice(1)] = value;
    else if (value !== null) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

function icon(name) {
  const holder = make("span", { "aria-hidden": "true" });
  holder.innerHTML = `<svg viewBox="0 0 16 16"><path d="${ICONS[name]}"/></svg>`;
  return holder.firstChild;
}

const toHex = (colour) => `#${colour.map((part) => Math.round(255 * part).toString(16).padStart(2, "0")).join("")}`;
const fromHex = (text) => [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16) / 255);
const shortly = (value) => String(Number(value.toPrecision(4)));

/** The tools, and the choice of what is looked at. */
class Controls {
  constructor(scene, signal) {
    this.scene = scene;
    this.signal = signal;
    this.buttons = Object.fromEntries(Object.entries(TOOLS).map(([tool, title]) => [tool, this.button(tool, title)]));
    for (const [tool, button] of Object.entries(this.buttons))
      this.hear(button, "click", () => scene.set("tool", tool));
    const fit = this.button("fit", "Show all of the image (or double-click it)");
    this.hear(fit, "click", () => scene.look({ zoom: null }));
    this.layers = make("select", { title: "Which image is shown", "aria-label": "Image" });
    this.hear(this.layers, "change", () => scene.choose(this.layers.selectedIndex));
    this.frame = this.slider("Frame", "frame");
    this.plane = this.slider("z", "plane");
    const tools = make("span", { class: "tools", role: "group", "aria-label": "What a drag does" });
    tools.append(...Object.values(this.buttons));
    this.bar = make("div", { class: "bar" }, tools, fit, this.layers, this.frame.row, this.plane.row);
    this.channels = make("details", { class: "channels" }, make("summary", {}, "Channels and colours"));
    this.rows = make("div", { class: "rows" });
    this.channels.append(this.rows);
    this.listed = null;
  }

  hear(element, name, hear) {
    element.addEventListener(name, hear, { signal: this.signal });
  }

  button(name, title) {
    return make("button", { type: "button", title, "aria-label": title, "data-tool": name }, icon(name));
  }

  slider(name, part) {
    const input = make("input", { type: "range", min: 0, step: 1, "aria-label": name });
    const output = make("output");
    this.hear(input, "input", () => this.scene.look({ [part]: Number(input.value) }));
    return { row: make("label", { class: `slider ${part}` }, `${name} `, input, output), input, output };
  }

  /** Shows what the model has. */
  update() {
    const { scene } = this;
    const { picture, view } = scene;
    for (const [tool, button] of Object.entries(this.buttons))
      button.setAttribute("aria-pressed", tool === scene.model.get("tool"));
    const names = scene.model.get("_pictures").map(({ name }) => name);
    if (names.length !== this.layers.length)
      this.layers.replaceChildren(...names.map((name) => make("option", {}, name)));
    this.layers.hidden = names.length < 2;
    this.layers.selectedIndex = view.picture;
    this.updateSlider(this.frame, picture.frames, view.frame);
    this.updateSlider(this.plane, picture.planes, view.plane);
    this.updateChannels();
  }

  updateSlider({ row, input, output }, length, value) {
    row.hidden = length === null;
    input.max = (length ?? 1) - 1;
    input.value = value;
    output.value = `${value} / ${(length ?? 1) - 1}`;
  }

  updateChannels() {
    const { scene } = this;
    const listed = `${scene.view.picture} ${scene.picture.channels.length}`;
    if (listed !== this.listed) {
      this.listed = listed;
      this.settings = scene.picture.channels.map((channel, number) => this.channel(channel, number));
      this.opacity = this.cells();
      this.rows.replaceChildren(
        ...this.settings.map(({ row }) => row),
        ...(scene.picture.labels ? [this.opacity.row] : []),
      );
    }
    this.settings.forEach(({ show }, number) => show(scene.looks[number]));
    this.opacity.input.value = scene.model.get("opacity");
  }

  cells() {
    const input = make("input", { type: "range", min: 0, max: 1, step: 0.01, "aria-label": "Opacity of the cells" });
    this.hear(input, "input", () => this.scene.set("opacity", Number(input.value)));
    const name = make("span", { class: "name" }, "Cells");
    return { input, row: make("div", { class: "row cells" }, name, make("label", {}, "opacity ", input)) };
  }

  channel({ name, kind, span }, number) {
    const { scene } = this;
    const [low, high] = scene.looks[number].range;
    const step = kind === "float32" || span ? (high - low) / 1000 || 1 : 1;
    const shown = make("input", { type: "checkbox" });
    this.hear(shown, "change", () => scene.adjust(number, { visible: shown.checked }));
    const row = make("div", { class: "row" }, make("label", { class: "name", title: name }, shown, name));
    if (kind === "rgb") return { row, show: ({ visible }) => (shown.checked = visible) };

    const colour = make("input", { type: "color", "aria-label": `Colour of ${name}` });
    this.hear(colour, "input", () => scene.adjust(number, { colour: fromHex(colour.value) }));
    const ends = ["darkest", "brightest"].map((end, place) => {
      const input = make("input", { type: "range", min: low, max: high, step, "aria-label": `${end} of ${name}` });
      const output = make("output");
      this.hear(input, "input", () => {
        const limits = [...scene.looks[number].limits];
        limits[place] = Number(input.value);
        // Never the one beyond the other.
        if (limits[0] >= limits[1]) limits[1 - place] = limits[place] + (place ? -step : step);
        scene.adjust(number, { limits });
      });
      const title = make("span", { class: "end" }, place ? "max" : "min");
      return { input, output, part: make("label", {}, title, input, output) };
    });
    row.append(colour, ...ends.map(({ part }) => part));
    const show = (look) => {
      shown.checked = look.visible;
      colour.value = toHex(look.colour);
      ends.forEach(({ input, output }, place) => {
        input.value = look.limits[place];
        output.value = shortly(look.limits[place]);
      });
    };
    return { row, show };
  }
}

/** A bar of a round length. */
class ScaleBar {
  constructor() {
    this.text = make("span");
    this.element = make("div", { class: "scale" }, this.text);
  }

  update({ picture, camera, width }) {
    this.element.hidden = !picture.pixel;
    if (!picture.pixel) return;
    const longest = (picture.pixel * Math.min(160, width / 4)) / camera.zoom;
    const power = 10 ** Math.floor(Math.log10(longest));
    const length = [5, 2, 1].find((digit) => digit * power <= longest) * power;
    this.element.style.width = `${(length / picture.pixel) * camera.zoom}px`;
    this.text.textContent = `${shortly(length)} ${(SHORT_UNITS[picture.unit] ?? picture.unit) || "px"}`;
  }
}

/* ---------------------------------------------------------------- The view */

class View {
  constructor(model, el) {
    this.model = model;
    this.abort = new AbortController();
    this.scene = new Scene(model);
    this.missing = [];
    this.pointed = null;
    this.pending = null;
    this.dirty = true;
    this.nDrawn = 0;
    this.build(el);
    if (!this.start()) return;
    this.loader = Loader.join(model, this);
    this.listen();
    this.update();
  }

  get tool() {
    return this.model.get("tool");
  }

  build(el) {
    const { signal } = this.abort;
    this.controls = new Controls(this.scene, signal);
    this.scaleBar = new ScaleBar();
    this.canvas = make("canvas", { tabindex: 0, "aria-label": "Image", "data-state": "waiting", "data-drawn": 0 });
    const overlay = make("div", { class: "trail" });
    overlay.innerHTML = "<svg><path/><path/></svg>";
    const [under, over] = overlay.querySelectorAll("path");
    const trail = {
      setAttribute: (name, value) => [under, over].forEach((path) => path.setAttribute(name, value)),
      removeAttribute: (name) => [under, over].forEach((path) => path.removeAttribute(name)),
    };
    this.pointer = new Pointer(this, this.canvas, trail, signal);
    this.box = make("div", { class: "box" }, this.canvas, overlay, this.scaleBar.element);
    this.note = make("div", { class: "note", role: "status", ".hidden": true });
    // JupyterLab leaves the keys to what says so.
    this.pane = make("div", { class: "latentmap-pane", "data-lm-suppress-shortcuts": "true" });
    this.pane.append(this.controls.bar, this.box, this.note, this.controls.channels);
    el.append(this.pane);
  }

  start() {
    const gl = this.canvas.getContext("webgl2", { antialias: false, premultipliedAlpha: true });
    if (!gl) {
      this.say("The images need WebGL 2, which this browser does not offer: switch it on, or try another browser.");
      this.canvas.dataset.state = "failed";
      return false;
    }
    this.gl = gl;
    this.cache = new Cache(gl);
    this.renderer = new Renderer(gl);
    this.pace = new Pace(gl, this.box);
    this.lit = null;
    this.renderer.setColours(bytesOf(this.model.get("_colours")));
    this.select();
    return true;
  }

  listen() {
    const { signal } = this.abort;
    const hear = {
      "change:_view": () => this.update(),
      "change:_looks": () => this.update(),
      "change:_pictures": () => this.renumber(),
      "change:_colours": () => this.recolour(() => this.renderer.setColours(bytesOf(this.model.get("_colours")))),
      "change:_selected": () => this.recolour(() => this.select()),
      "change:opacity": () => this.recolour(() => this.controls.update()),
      "change:highlight": () => this.recolour(() => {}),
      "change:height": () => this.resize(),
      "change:tool": () => this.update(),
    };
    for (const [name, act] of Object.entries(hear)) this.model.on(name, act);
    this.canvas.addEventListener("webglcontextlost", (event) => event.preventDefault(), { signal });
    this.canvas.addEventListener("webglcontextrestored", () => this.start() && this.update(), { signal });
    const observer = new ResizeObserver(() => this.resize());
    observer.observe(this.box);
    signal.addEventListener("abort", () => {
      observer.disconnect();
      for (const [name, act] of Object.entries(hear)) this.model.off(name, act);
    });
    this.versions = this.model.get("_pictures").map(({ version }) => version);
    this.resize();
  }

  close() {
    this.scene.save();
    this.abort.abort();
    cancelAnimationFrame(this.pending);
    this.pending = -1;
    this.loader?.leave(this);
    this.cache?.dropIf(() => true);
    // Browsers keep some sixteen of them; a page with more loses the oldest.
    this.gl?.getExtension("WEBGL_lose_context")?.loseContext();
    this.pane.remove();
  }

  say(text) {
    this.note.textContent = text;
    this.note.hidden = !text;
  }

  resize() {
    this.box.style.height = `${this.model.get("height")}px`;
    this.scene.width = this.box.clientWidth;
    this.scene.height = this.box.clientHeight;
    this.update();
  }

  /** The cells have other numbers: the tiles that have the ones of before are let go. */
  renumber() {
    const versions = this.model.get("_pictures").map(({ version }) => version);
    this.cache.dropIf(({ picture, source }) => source === LABELS && versions[picture] !== this.versions[picture]);
    this.versions = versions;
    this.lit = null;
    this.update();
  }

  /** Shows what the model has: other tiles, in other places. */
  update() {
    this.dirty = true;
    this.controls.update();
    this.box.dataset.tool = this.tool;
    this.canvas.dataset.state = "waiting";
    this.schedule();
  }

  recolour(act) {
    act();
    this.canvas.dataset.state = "waiting";
    this.schedule();
  }

  select() {
    const bytes = bytesOf(this.model.get("_selected"));
    this.renderer.setSelected(bytes.some((byte) => byte) ? bytes : new Uint8Array(0));
  }

  schedule() {
    this.pending ??= requestAnimationFrame(() => this.draw());
  }

  draw() {
    cancelAnimationFrame(this.pending);
    this.pending = null;
    const { scene, gl } = this;
    if (!scene.width || !scene.height || gl.isContextLost()) return;
    const begun = performance.now();
    if (this.dirty) this.drawTiles();
    if (!this.lit) return;
    const ratio = window.devicePixelRatio || 1;
    this.renderer.drawCells({
      opacity: this.model.get("opacity"),
      highlight: fromHex(this.model.get("highlight")),
      pointed: this.pointed,
      // A little thicker where pixels are large.
      line: Math.max(1, Math.round(ratio * clamp(scene.camera.zoom / 3, 1, 2))),
    });
    this.pace.drawn(begun);
    this.canvas.dataset.drawn = ++this.nDrawn;
    this.canvas.dataset.state = this.missing.length ? "waiting" : "ready";
  }

  drawTiles() {
    const { scene, cache } = this;
    const ratio = window.devicePixelRatio || 1;
    const grid = new Grid(scene, ratio);
    const { tiles } = grid;
    cache.touch(tiles);
    cache.trim(tiles);
    this.missing = tiles.filter((tile) => !cache.has(tile));
    this.loader.ask();
    this.scaleBar.update(scene);
    // What was drawn before stays until there is something of everything: no frame is black, or half a picture.
    const isThere = grid.sources.every((source) => grid.cells.every((cell) => grid.find(source, cell, cache)));
    if (!isThere) return;
    this.dirty = this.missing.length > 0;
    this.canvas.width = Math.round(scene.width * ratio);
    this.canvas.height = Math.round(scene.height * ratio);
    this.renderer.resize(this.canvas.width, this.canvas.height);
    this.renderer.drawTiles(grid, scene, cache);
    this.lit = scene.view;
  }

  receive(tile, shape, bytes, error) {
    const { source } = tile;
    const kind = source === LABELS ? "numbers" : this.model.get("_pictures")[tile.picture].channels[source].kind;
    this.cache.put(tile, kind, shape, bytes);
    this.missing = this.missing.filter((one) => keyOf(one) !== keyOf(tile));
    if (error) this.say(error);
    this.dirty = true;
    this.schedule();
  }

  /** The cell under a point of the canvas: what is seen there, and nothing while another frame is still to be seen. */
  cellAt(point) {
    if (this.dirty) this.draw();
    const { picture, frame, plane } = this.scene.view;
    const { lit } = this;
    if (!point || !lit || lit.picture !== picture || lit.frame !== frame || lit.plane !== plane) return null;
    const [x, y] = point.map((end, axis) => {
      const [shown, length] = axis ? [this.scene.height, this.canvas.height] : [this.scene.width, this.canvas.width];
      return clamp(Math.floor((end * length) / shown), 0, length - 1);
    });
    return this.renderer.numberAt(x, y);
  }

  point(point) {
    const number = this.cellAt(point);
    if (number === this.pointed) return;
    this.pointed = number;
    this.model.send({ type: "hover", number });
    this.schedule();
  }

  click(point, mode) {
    this.scene.save();
    this.model.send({ type: "click", number: this.cellAt(point), mode });
  }

  finish({ tool, mode, points }) {
    const { picture, frame, plane } = this.scene.view;
    const corners = points.map(([x, y]) => this.scene.placeAt(x, y)).map(({ row, column }) => [row, column]);
    this.scene.save();
    this.model.send({ type: "drawn", picture, frame, plane, tool, mode, corners });
  }
}

function render({ model, el }) {
  const view = new View(lineOf(model, el), el);
  return () => view.close();
}

export default { render };
