// The line to the kernel, in front of each widget's own script. Where the kernel has ended or was started anew nothing
// can be sent: the widget then says so, instead of failing at every move of the mouse.

const CUT = "The kernel has ended or was started anew. Run this cell again.";
const lines = new WeakMap();

class Line {
  constructor(model) {
    this.model = model;
    this.elements = new Set();
  }

  get(name) {
    return this.model.get(name);
  }

  set(name, value) {
    this.model.set(name, value);
  }

  on(name, hear) {
    this.model.on(name, hear);
  }

  off(name, hear) {
    this.model.off(name, hear);
  }

  send(content) {
    this.attempt(() => this.model.send(content));
  }

  save_changes() {
    this.attempt(() => this.model.save_changes());
  }

  attempt(act) {
    if (this.isCut) return;
    try {
      act();
    } catch {
      this.isCut = true;
      for (const element of this.elements) this.note(element);
    }
  }

  note(element) {
    const note = document.createElement("div");
    note.setAttribute("role", "alert");
    note.style.cssText = "padding: 4px 8px; color: #fff; background: #b3261e; font-size: 13px";
    note.textContent = CUT;
    element.prepend(note);
  }
}

/** The line of a model; all views of one model share it. */
function lineOf(model, element) {
  if (!lines.has(model)) lines.set(model, new Line(model));
  const line = lines.get(model);
  line.elements.add(element);
  return line;
}
