// Which names match a search, and which are ticked.

/**
 * @param {string[]} names
 * @param {string} text
 */
export function find(names, text) {
  return names.filter((name) => name.toLowerCase().includes(text.toLowerCase()));
}

/**
 * The names that are ticked after ticking some more, in the order of `names`.
 * @param {string[]} names
 * @param {string[]} ticked
 * @param {string[]} more
 */
export function tick(names, ticked, more) {
  const all = new Set([...ticked, ...more]);
  return names.filter((name) => all.has(name));
}

/**
 * The names that are ticked after unticking some, in the order of `names`.
 * @param {string[]} names
 * @param {string[]} ticked
 * @param {string[]} removed
 */
export function untick(names, ticked, removed) {
  const without = new Set(removed);
  return tick(
    names,
    ticked.filter((name) => !without.has(name)),
    [],
  );
}
