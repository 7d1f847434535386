// A map of cells: points in WebGL 2, with pan, zoom, hover, click, lasso and rectangle.
//
// Python sends the position, colour, size and state of each point. This script reports what the user draws or picks,
// and from time to time which frame was drawn last.

/** @import { MapModel } from "./traits" */

import { connect } from "../shared/connection.js";
import { show } from "./pane.js";

/** @param {{ model: MapModel, el: HTMLElement }} context */
function render({ model, el }) {
  return show(connect(model, el), el);
}

export default { render };
