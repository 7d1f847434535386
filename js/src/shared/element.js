// HTML elements and icons.

const ICONS = {
  move: "M8 1.5v13M1.5 8h13M8 1.5 6 3.5M8 1.5l2 2M8 14.5l-2-2M8 14.5l2-2M1.5 8l2-2M1.5 8l2 2M14.5 8l-2-2M14.5 8l-2 2",
  lasso:
    "M5 11.2C2.9 10.5 1.5 9 1.5 7.2 1.5 4.6 4.4 2.5 8 2.500s6.5 2.1 6.5 4.700S11.6 12 8 12c-.6 0-1.2-.1-1.8-.2M5.2 10.200a1.3 1.3 0 1 1-.2 2.600c-.9 0-1.4-.8-1.2-1.5.2-.7.8-1.1 1.4-1.100ZM4.5 12.600c.3.9.2 1.7-.5 2.4",
  polygon:
    "M8 2 14 6.500 11.500 14H4L2 7ZM8 1.200v1.600M13.200 6.500h1.600M11.500 13.200v1.600M4 13.200v1.600M1.200 7h1.600",
  brush:
    "M14 2 7.500 8.500M13.500 1.500c.8.4 1 1 .500 1.700L9 10 6.500 7.500ZM6 8.500c-1.500 0-2.300 1-2.500 2.500-.1 1.200-.7 2-2 2.500 3 .9 6.500.5 6.500-2.500 0-1.300-.8-2.300-2-2.500Z",
  rectangle: "M2 5V2.500h3M7 2.500h2M11 2.500h3V5M14 7v2M14 11v2.500h-3M9 13.500H7M5 13.500H2V11M2 9V7",
  threshold: "M8 1.500v13M2 14.500v-3M4.500 14.500V8M11 14.500v-4M13.500 14.500v-2",
  quadrant: "M8 1.500v13M1.5 8h13M4 4h.01M12 12h.01M12 4h.01M4 12h.01",
  fit: "M2 5.500V2h3.500M10.5 2H14v3.500M14 10.500V14h-3.500M5.5 14H2v-3.500M5 6.500h6v3H5z",
};

/** @typedef {keyof typeof ICONS} IconName */

/**
 * Makes an element.
 * @template {keyof HTMLElementTagNameMap} Tag
 * @param {Tag} tag
 * @param {Record<string, string | number>} attributes
 * @param {(Node | string)[]} children
 */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  element.append(...children);
  return element;
}

/** @param {IconName} name */
export function icon(name) {
  const holder = make("span", { "aria-hidden": "true" });
  holder.innerHTML = `<svg viewBox="0 0 16 16"><path d="${ICONS[name]}"/></svg>`;
  return holder.children[0];
}
