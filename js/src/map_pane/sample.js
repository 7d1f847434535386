// Chooses which of very many points are drawn.

/** @import { Camera } from "./camera.js" */
/** @import { Points } from "./points.js" */

/** How many points are drawn in each pass where no graphics card draws them. */
export const MOST = 100_000;

const PASSES = 3; // as the shader counts them: others, hollow ones and those of the frame shown, selected ones
const MULTIPLIER = 1_664_525; // of a linear congruential generator, by Numerical Recipes
const INCREMENT = 1_013_904_223;

/** The points in an order that is random and always the same, so that zooming in never removes one. */
export class RandomOrder {
  constructor() {
    this.rows = new Uint32Array();
  }

  /** @param {number} count */
  of(count) {
    if (this.rows.length !== count) this.rows = shuffled(count);
    return this.rows;
  }
}

/**
 * The rows of the points to draw in each pass: those in view or, if they are too many, a random sample of them.
 * @param {Points} points
 * @param {Camera} camera
 * @param {Uint32Array} order
 * @param {number} most
 * @returns {Uint32Array[]}
 */
export function sampleInView(points, camera, order, most = MOST) {
  const found = Array.from({ length: PASSES }, () => new Uint32Array(most));
  const counts = new Array(PASSES).fill(0);
  const [right, up] = camera.turn;
  const [across, along] = [camera.width / camera.pixels / 2, camera.height / camera.pixels / 2];
  const { axes, places } = points;
  for (const row of order) {
    const pass = points.passOf(row);
    if (pass === undefined || counts[pass] === most) continue;
    const [x, y, z] = [places[axes * row], places[axes * row + 1], axes === 3 ? places[3 * row + 2] : 0];
    if (Math.abs(right[0] * x + right[1] * y + right[2] * z - camera.centre[0]) > across) continue;
    if (Math.abs(up[0] * x + up[1] * y + up[2] * z - camera.centre[1]) > along) continue;
    found[pass][counts[pass]++] = row;
  }
  // Points further down in the table lie above others, as where all are drawn.
  return found.map((rows, pass) => rows.subarray(0, counts[pass]).sort());
}

/** @param {number} count */
function shuffled(count) {
  const rows = Uint32Array.from({ length: count }, (_, at) => at);
  let state = 1;
  for (let at = count - 1; at > 0; at--) {
    state = (Math.imul(state, MULTIPLIER) + INCREMENT) >>> 0;
    const other = Math.floor((state / 2 ** 32) * (at + 1));
    [rows[at], rows[other]] = [rows[other], rows[at]];
  }
  return rows;
}
