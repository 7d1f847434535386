// Colours and numbers as text.

/** @param {number[]} colour red, green and blue, from 0 to 1 */
export function toHex(colour) {
  return `#${colour
    .map((part) =>
      Math.round(255 * part)
        .toString(16)
        .padStart(2, "0"),
    )
    .join("")}`;
}

/** @param {string} text as `#rrggbb` */
export function fromHex(text) {
  return [1, 3, 5].map((at) => parseInt(text.slice(at, at + 2), 16) / 255);
}

/**
 * A number with at most four significant digits.
 * @param {number} value
 */
export function shortNumber(value) {
  return String(Number(value.toPrecision(4)));
}
