// A map of cells: points in WebGL 2, with pan, zoom, hover, click, lasso and rectangle.
//
// Python says where the points lie, and what colour, size and state each has; this says what the user has drawn or
// picked, and from time to time which frame is drawn.

/** @import { MapModel } from "./traits" */

import { connect } from "../shared/connection.js";
import { show } from "./pane.js";

/** @param {{ model: MapModel, el: HTMLElement }} context */
function render({ model, el }) {
  return show(connect(model, el), el);
}

export default { render };
