// A page without a kernel: the notebook's panes show data that lie in the page, and what the kernel does for them in a
// notebook is done here.

import imagePane from "image_pane";
import mapPane from "map_pane";

const TYPES = { u1: Uint8Array, u4: Uint32Array, i4: Int32Array, i8: BigInt64Array, f4: Float32Array };
const LABELS = -1;
const NO_CELL = 0;
const UNKNOWN_CELL = 0xffffffff;
const BESIDE = 14; // between the mouse and what is to be read of a cell, in pixels

const bytesOf = (text) => Uint8Array.from(atob(text), (sign) => sign.charCodeAt(0));

async function unpack({ type, packed }) {
  const stream = new Blob([bytesOf(packed)]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new TYPES[type](await new Response(stream).arrayBuffer());
}

/** The same with all arrays unpacked, but for tiles: of those few are looked at. */
async function unpackAll(value) {
  if (value === null || typeof value !== "object") return value;
  if (value.packed !== undefined) return unpack(value);
  if (Array.isArray(value)) return Promise.all(value.map(unpackAll));
  const entries = Object.entries(value).map(async ([name, part]) => [name, name === "tiles" ? part : await unpackAll(part)]);
  return Object.fromEntries(await Promise.all(entries));
}

const hasBit = (bits, at) => ((bits[at >> 3] >> (7 - (at & 7))) & 1) === 1;

function bitsOf(flags) {
  const bits = new Uint8Array(Math.ceil(flags.length / 8));
  flags.forEach((flag, at) => (bits[at >> 3] |= flag << (7 - (at & 7))));
  return bits;
}

/** What anywidget hands to a pane. */
class Model {
  constructor(state, answers) {
    this.state = state;
    this.answers = answers;
    this.heard = {};
  }

  get(name) {
    return this.state[name];
  }

  set(name, value) {
    this.state[name] = value;
    this.tell(`change:${name}`);
  }

  save_changes() {}

  on(name, hear) {
    (this.heard[name] ??= []).push(hear);
  }

  off(name, hear) {
    this.heard[name] = this.heard[name]?.filter((one) => one !== hear);
  }

  tell(name, ...what) {
    for (const hear of this.heard[name] ?? []) hear(...what);
  }

  /** No kernel answers before the pane has come to an end with what it does. */
  send(content) {
    queueMicrotask(() => this.answers[content.kind ?? content.type]?.(content));
  }
}

/** What a closed line goes round, also where it crosses itself. */
class Loop {
  constructor(corners) {
    this.edges = corners.map((end, at) => [corners.at(at - 1), end]).filter(([[, from], [, to]]) => from !== to);
    this.low = Math.min(...this.edges.flat().map(([, y]) => y));
    this.high = Math.max(...this.edges.flat().map(([, y]) => y));
  }

  /** Where it crosses a height, from left to right, and whether upwards. Half-open: a corner is crossed once. */
  crossings(y) {
    if (y < this.low || y >= this.high) return [];
    return this.edges
      .filter(([[, from], [, to]]) => Math.min(from, to) <= y && y < Math.max(from, to))
      .map(([[x, from], [end, to]]) => [x + ((y - from) / (to - from)) * (end - x), Math.sign(to - from)])
      .sort(([one], [other]) => one - other);
  }

  /** The stretches of a height that lie within. */
  spans(y) {
    const spans = [];
    let turns = 0;
    for (const [x, sense] of this.crossings(y)) {
      if (turns === 0) spans.push([x, x]);
      turns += sense;
      spans.at(-1)[1] = x;
    }
    return spans;
  }

  holds(x, y) {
    return this.spans(y).some(([left, right]) => left <= x && x < right);
  }
}

/* ---------------------------------------------------------------- What the views share */

/** The cells selected, by their numbers. */
class Selection {
  static rules = {
    replace: (was, is) => is,
    add: (was, is) => was | is,
    subtract: (was, is) => was & ~is,
    intersect: (was, is) => was & is,
  };

  constructor(n) {
    this.flags = new Uint8Array(n);
    this.views = [];
  }

  choose(numbers, mode = "replace") {
    const chosen = new Uint8Array(this.flags.length);
    for (const number of numbers) chosen[number] = 1;
    this.flags = this.flags.map((was, number) => Selection.rules[mode](was, chosen[number]));
    for (const view of this.views) view(this.flags);
  }

  /** A click beside all cells selects none, unless a key says that the others stay. */
  pick(number, mode) {
    if (number !== null || mode === "replace") this.choose(number === null ? [] : [number], mode);
  }
}

/** What a column has of a cell: a number with three digits, or a word. */
function written({ values, words, codes, absent }, number) {
  if (!values) return words[codes[number]] ?? absent;
  return Number.isNaN(values[number]) ? absent : String(Number(values[number].toPrecision(3)));
}

/** What is to be read of the cell under the mouse, beside the mouse. */
class Card {
  constructor(cells, element) {
    Object.assign(this, cells);
    this.element = element;
    this.hasFrames = this.frames.some((frame) => frame !== 0n);
    document.addEventListener("pointermove", ({ clientX, clientY }) => this.move(clientX, clientY));
  }

  show(number) {
    this.element.hidden = number === null;
    if (number === null) return;
    const head = document.createElement("b");
    head.textContent = `Label ${this.labels[number]}`;
    const where = document.createElement("div");
    const layer = this.layers.words[this.layers.codes[number]];
    where.textContent = this.hasFrames ? `${layer}, frame ${this.frames[number]}` : layer;
    const values = document.createElement("table");
    for (const column of this.columns) {
      const row = values.insertRow();
      row.insertCell().textContent = column.name;
      row.insertCell().textContent = written(column, number);
    }
    this.element.replaceChildren(head, where, values);
    this.move(this.x, this.y);
  }

  move(x, y) {
    [this.x, this.y] = [x, y];
    const { offsetWidth: width, offsetHeight: height, style } = this.element;
    const right = x + BESIDE + width <= window.innerWidth;
    const below = y + BESIDE + height <= window.innerHeight;
    style.left = `${Math.max(0, right ? x + BESIDE : x - BESIDE - width)}px`;
    style.top = `${Math.max(0, below ? y + BESIDE : y - BESIDE - height)}px`;
  }
}

/* ---------------------------------------------------------------- The views */

/** A map. Its rows are points, each of which is the cell of some number. */
function showMap({ state, numbers }, el, selection, card) {
  const places = new Float32Array(state.places.buffer);
  const seen = (axis, row) => axis.reduce((sum, share, at) => sum + share * places[axis.length * row + at], 0);
  const rows = [...numbers.keys()].filter((row) => !hasBit(state.hidden, row));
  const numberOf = (row) => (row < 0 ? null : numbers[row]);
  const model = new Model(
    { ...state, selected: new Uint8Array(0), frame: 1, marks: 0 },
    {
      hovered: ({ row }) => card.show(numberOf(row)),
      clicked: ({ row, mode }) => selection.pick(numberOf(row), mode),
      drawn: ({ corners, turn: [right, up], mode }) => {
        const loop = new Loop(corners);
        const within = rows.filter((row) => loop.holds(seen(right, row), seen(up, row)));
        selection.choose(within.map(numberOf), mode);
      },
    },
  );
  selection.views.push((flags) => {
    const selected = Uint8Array.from(numbers, (number) => flags[number]);
    model.set("selected", selected.includes(1) ? bitsOf(selected) : new Uint8Array(0));
    model.set("marks", model.get("marks") + 1);
  });
  mapPane.render({ model, el });
}

/** The images, of which all tiles lie in the page. */
class Images {
  constructor({ state, tiles }, selection, card) {
    this.tiles = tiles;
    this.n = selection.flags.length;
    this.model = new Model(
      { ...state, _selected: new Uint8Array(0) },
      {
        tile: ({ tile }) => this.send(tile),
        hover: ({ number }) => card.show(number),
        click: ({ number, mode }) => selection.pick(number, mode),
        drawn: async (drawn) => selection.choose(await this.within(drawn), drawn.mode),
      },
    );
    selection.views.push((flags) => this.model.set("_selected", bitsOf(flags)));
  }

  find({ picture, source, level, frame, plane, row, column }) {
    return this.tiles[[picture, source, level, frame, plane, row, column]];
  }

  send(tile) {
    const { shape, packed } = this.find(tile);
    this.model.tell("msg:custom", { type: "tile", tile, shape, packed: true }, [bytesOf(packed)]);
  }

  /** The cells of which half the pixels or more have their middle within: the same rule as in the notebook. */
  async within({ picture, frame, plane, corners }) {
    const loop = new Loop(corners.map(([row, column]) => [column, row]));
    const [inside, all] = [new Uint32Array(this.n), new Uint32Array(this.n)];
    const { factors, side } = this.model.get("_pictures")[picture];
    const middle = (at) => (at + 0.5) * factors[0] - 0.5;
    const first = { picture, source: LABELS, level: 0, frame, plane };
    for (let row = 0; this.find({ ...first, row, column: 0 }); row++)
      for (let column = 0, tile; (tile = this.find({ ...first, row, column })); column++) {
        const pixels = await unpack(tile);
        const [height, width] = tile.shape;
        for (let down = 0; down < height; down++) {
          const spans = loop.spans(middle(row * side + down));
          for (let across = 0; across < width; across++) {
            const number = pixels[down * width + across];
            if (number === NO_CELL || number === UNKNOWN_CELL) continue;
            const x = middle(column * side + across);
            all[number - 1]++;
            if (spans.some(([left, right]) => left <= x && x < right)) inside[number - 1]++;
          }
        }
      }
    return [...inside.keys()].filter((number) => inside[number] && 2 * inside[number] >= all[number]);
  }
}

const { cells, maps, image, groups, selected } = await unpackAll(JSON.parse(document.getElementById("data").textContent));
const selection = new Selection(cells.n);
const card = new Card(cells, document.getElementById("card"));
maps.forEach((map, place) => showMap(map, document.querySelector(`[data-map="${place}"]`), selection, card));
if (image) imagePane.render({ model: new Images(image, selection, card).model, el: document.getElementById("image") });
for (const button of document.querySelectorAll("[data-group]"))
  button.addEventListener("click", () => selection.choose(groups[button.dataset.group]));
selection.views.push((flags) => {
  const n = flags.reduce((sum, flag) => sum + flag, 0);
  document.getElementById("selected").textContent = `${n} ${n === 1 ? "cell" : "cells"} selected`;
});
selection.choose(selected);
