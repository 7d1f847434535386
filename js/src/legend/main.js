// The groups of a legend in a notebook.

/** @import { LegendModel } from "./group_list.js" */

import { connect } from "../shared/connection.js";
import { GroupList } from "./group_list.js";

/** @param {{ model: LegendModel, el: HTMLElement }} context */
function render({ model, el }) {
  const list = new GroupList(connect(model, el), el);
  return () => list.close();
}

export default { render };
