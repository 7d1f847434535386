/**
 * RGBA pixels of a square picture stored as RGB.
 * @param {Uint8Array} bytes red, green and blue of each pixel
 * @param {number} start index of the picture's first byte
 * @param {number} size side of the picture, in pixels
 */
export function opaquePixels(bytes, start, size) {
  const pixels = new Uint8ClampedArray(4 * size * size).fill(255);
  for (let at = 0; at < size * size; at++)
    for (let part = 0; part < 3; part++) pixels[4 * at + part] = bytes[start + 3 * at + part];
  return pixels;
}
