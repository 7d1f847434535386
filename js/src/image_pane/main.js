// The image pane: requests the tiles in view, draws them, and reports what the mouse does.

/** @import { ImageModel } from "./traits" */

import { connect } from "../shared/connection.js";
import { View } from "./view.js";

/** @param {{ model: ImageModel, el: HTMLElement }} context */
function render({ model, el }) {
  const view = new View(connect(model, el), el);
  return () => view.close();
}

export default { render };
