// What is being drawn, as the path of an SVG.

/** @import { Point, Tool } from "./model" */

/** The radius of the brush, in pixels. */
export const BRUSH = 20;

/**
 * Shows what is being drawn; the style of the page says how.
 * @param {SVGPathElement} path
 * @param {Point[] | null} corners of a closed line, or the path of the brush
 * @param {Tool} [tool]
 */
export function sketch(path, corners, tool) {
  if (!corners?.length) {
    path.removeAttribute("d");
    return;
  }
  const isBrush = tool === "brush";
  // A line of no length has round ends, too.
  const points = isBrush ? [corners[0], ...corners] : corners;
  path.setAttribute("d", `M${points.map((point) => point.join()).join("L")}${isBrush ? "" : "Z"}`);
  path.classList.toggle("brush", isBrush);
  path.style.strokeWidth = isBrush ? `${2 * BRUSH}px` : "";
}
