// Scrolls a tab of the panel to what has just been found in one of its sections.

/** @import { Model } from "../shared/model" */

import { scrollBy } from "./scroll.js";

const SETTLES = 1000; // ms after which what was found is drawn

/** @param {{ model: Model<{ times: number }>, el: HTMLElement }} context */
function render({ model, el }) {
  const show = () => {
    const page = el.closest(".latentmap-page");
    const section = el.parentElement;
    if (!page || !section) return;
    const observer = new ResizeObserver(() => {
      page.scrollTop += scrollBy(page.getBoundingClientRect(), section.getBoundingClientRect());
    });
    observer.observe(section);
    setTimeout(() => observer.disconnect(), SETTLES);
  };
  model.on("change:times", show);
  return () => model.off("change:times", show);
}

export default { render };
