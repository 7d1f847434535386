/**
 * Pixels with opacity, of pixels without.
 * @param {Uint8Array} bytes red, green and blue of each pixel
 * @param {number} start the first pixel's place
 * @param {number} size rows and columns of the picture
 */
export function opaquePixels(bytes, start, size) {
  const pixels = new Uint8ClampedArray(4 * size * size).fill(255);
  for (let at = 0; at < size * size; at++)
    for (let part = 0; part < 3; part++) pixels[4 * at + part] = bytes[start + 3 * at + part];
  return pixels;
}
