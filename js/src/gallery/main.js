// The gallery in a notebook.

/** @import { GalleryModel } from "./traits" */

import { connect } from "../shared/connection.js";
import { Gallery } from "./gallery.js";

/** @param {{ model: GalleryModel, el: HTMLElement }} context */
function render({ model, el }) {
  const gallery = new Gallery(connect(model, el), el);
  return () => gallery.close();
}

export default { render };
