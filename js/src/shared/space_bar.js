// Whether the space bar is held over a canvas: dragging then moves what it shows, whatever the tool.

export class SpaceBar {
  /**
   * @param {GlobalEventHandlers & EventTarget & { focus(options?: FocusOptions): void }} element that can have the focus
   * @param {AbortSignal} signal
   */
  constructor(element, signal) {
    this.isHeld = false;
    // A key goes to what has the focus; without a click the canvas would not.
    element.addEventListener("pointerenter", () => this.isFree && element.focus({ preventScroll: true }), { signal });
    element.addEventListener("keydown", (event) => this.press(/** @type {KeyboardEvent} */ (event)), { signal });
    element.addEventListener("keyup", (event) => this.release(/** @type {KeyboardEvent} */ (event)), { signal });
    for (const name of ["blur", "pointerleave"]) element.addEventListener(name, () => this.letGo(), { signal });
  }

  /** Whether nobody is writing elsewhere on the page. */
  get isFree() {
    const focused = document.activeElement;
    return !focused?.matches("input, select, textarea, [contenteditable]");
  }

  /** @param {KeyboardEvent} event */
  press(event) {
    if (event.key !== " ") return;
    event.preventDefault(); // a notebook scrolls
    event.stopPropagation();
    this.isHeld = true;
  }

  /** @param {KeyboardEvent} event */
  release(event) {
    if (event.key === " ") this.letGo();
  }

  letGo() {
    this.isHeld = false;
  }
}
