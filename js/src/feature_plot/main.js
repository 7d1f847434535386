// The plot of features in a notebook, on which gates are drawn.

/** @import { PlotModel } from "./traits" */

import { connect } from "../shared/connection.js";
import { FeaturePlot } from "./plot.js";

/** @param {{ model: PlotModel, el: HTMLElement }} context */
function render({ model, el }) {
  const plot = new FeaturePlot(connect(model, el), el);
  return () => plot.close();
}

export default { render };
