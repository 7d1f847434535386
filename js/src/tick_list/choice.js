// Which names are found, and which are ticked.

/**
 * @param {string[]} names
 * @param {string} text
 */
export function find(names, text) {
  return names.filter((name) => name.toLowerCase().includes(text.toLowerCase()));
}

/**
 * Those of the names that are ticked or join them, in the names' order.
 * @param {string[]} names
 * @param {string[]} ticked
 * @param {string[]} more
 */
export function tick(names, ticked, more) {
  const all = new Set([...ticked, ...more]);
  return names.filter((name) => all.has(name));
}

/**
 * Those of the names that are ticked and stay so, in the names' order.
 * @param {string[]} names
 * @param {string[]} ticked
 * @param {string[]} gone
 */
export function untick(names, ticked, gone) {
  const left = new Set(gone);
  return tick(
    names,
    ticked.filter((name) => !left.has(name)),
    [],
  );
}
