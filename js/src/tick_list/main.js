// The list of features in a notebook.

/** @import { Model } from "../shared/model" */
/** @import { Traits } from "./tick_list.js" */

import { TickList } from "./tick_list.js";

/** @param {{ model: Model<Traits>, el: HTMLElement }} context */
function render({ model, el }) {
  const list = new TickList(model, el);
  return () => list.close();
}

export default { render };
