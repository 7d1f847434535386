// The names of groups on the map.

/** @import { Point } from "../shared/model" */
/** @import { Camera } from "./camera.js" */
/** @import { GroupName } from "./traits" */

// How far a name may stand from its place: multiples of its width and height, the nearest first.
const SHIFTS = [
  [0, 0],
  [0, -1],
  [0, 1],
  [0.6, 0],
  [-0.6, 0],
  [0.6, -1],
  [-0.6, -1],
  [0.6, 1],
  [-0.6, 1],
];

/**
 * Moves names so that they do not overlap, as `latentmap.display.group_names.lay_out_names` does in napari; null where
 * there is no room.
 * @param {Point[]} points where the names belong
 * @param {Point[]} sizes their widths and heights
 * @param {Point} canvas its width and height
 * @returns {(Point | null)[]} the middle of each name
 */
export function layOut(points, sizes, canvas) {
  /** @type {(Point | null)[]} */
  const placed = [];
  for (const [at, point] of points.entries()) {
    const [width, height] = sizes[at];
    const isSeen = point.every((part, axis) => part >= 0 && part <= canvas[axis]);
    /** @type {Point[]} */
    const choices = SHIFTS.map(([right, down]) => [point[0] + right * width, point[1] + down * height]);
    const isFree = (/** @type {Point} */ middle) =>
      middle.every((part, axis) => part >= sizes[at][axis] / 2 && part <= canvas[axis] - sizes[at][axis] / 2) &&
      placed.every(
        (other, index) =>
          !other ||
          other.some((part, axis) => 2 * Math.abs(part - middle[axis]) >= sizes[index][axis] + sizes[at][axis]),
      );
    placed.push((isSeen && choices.find(isFree)) || null);
  }
  return placed;
}

export class Names {
  /** @param {SVGSVGElement} overlay */
  constructor(overlay) {
    this.overlay = overlay;
    this.group = this.made("g");
    this.group.setAttribute("class", "latentmap-names");
    overlay.prepend(this.group);
    /** @type {{ place: number[], text: SVGTextElement, size: Point }[]} */
    this.names = [];
  }

  /**
   * A page of the HTML export holds no address, not even that of SVG.
   * @template {"g" | "text"} Name
   * @param {Name} name
   */
  made(name) {
    return /** @type {SVGElementTagNameMap[Name]} */ (document.createElementNS(this.overlay.namespaceURI, name));
  }

  /** @param {GroupName[]} names */
  show(names) {
    this.names = names.map(({ text: words, place }) => {
      const text = this.made("text");
      text.textContent = words;
      return { place, text, size: [0, 0] };
    });
    this.group.replaceChildren(...this.names.map(({ text }) => text));
  }

  /**
   * Writes the names where the camera sees their places.
   * @param {Camera} camera
   */
  draw(camera) {
    const [right, up] = camera.turn;
    for (const name of this.names) {
      if (name.size[0]) continue;
      const { width, height } = name.text.getBBox();
      name.size = [width, height]; // 0 while the pane is hidden
    }
    /** @type {Point[]} */
    const points = this.names.map(({ place }) => camera.toCanvas([along(right, place), along(up, place)]));
    const placed = layOut(
      points,
      this.names.map(({ size }) => size),
      [camera.width, camera.height],
    );
    for (const [at, { text }] of this.names.entries()) {
      const middle = placed[at];
      text.style.visibility = middle ? "visible" : "hidden";
      if (!middle) continue;
      text.setAttribute("x", middle[0].toFixed(1));
      text.setAttribute("y", middle[1].toFixed(1));
    }
  }
}

/**
 * @param {number[]} axis
 * @param {number[]} place
 */
function along(axis, place) {
  return place.reduce((sum, part, at) => sum + part * axis[at], 0);
}
