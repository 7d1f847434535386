// What stands in front of each widget's own script: the line to the kernel, and what finds out that drawing is slow.
//
// Where the kernel has ended or was started anew nothing can be sent: the widget then says so, instead of failing at
// every move of the mouse.

const CUT = "The kernel has ended or was started anew. Run this cell again.";
const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render/i;
const SLOW =
  "This browser draws without a graphics card, and slowly: its settings may have hardware acceleration to switch on.";
const SLOWLY = 200; // milliseconds that a frame takes
const SLOW_FRAMES = 5; // so many in a row are no chance
const TIME_EVERY = 1000; // milliseconds: the page stands still until a frame that is timed is drawn
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

/** What draws: a graphics card, or software that stands in for one. */
function rendererOf(gl) {
  const name = gl.getParameter(gl.RENDERER);
  if (name !== "WebKit WebGL") return String(name);
  const said = gl.getExtension("WEBGL_debug_renderer_info");
  return said ? String(gl.getParameter(said.UNMASKED_RENDERER_WEBGL)) : "";
}

/** Times frames where software draws them, and says once beside an element if they are slow. */
class Pace {
  static isSaid = false;

  constructor(gl, element) {
    this.gl = gl;
    this.element = element;
    this.isSoftware = SOFTWARE.test(rendererOf(gl));
    this.nSlow = this.next = 0;
  }

  /** Tells of a frame for which all has been asked of the renderer since a time. */
  drawn(since) {
    if (!this.isSoftware || Pace.isSaid || since < this.next) return;
    this.gl.readPixels(0, 0, 1, 1, this.gl.RGBA, this.gl.UNSIGNED_BYTE, new Uint8Array(4));
    const now = performance.now();
    this.next = now + TIME_EVERY;
    this.nSlow = now - since > SLOWLY ? this.nSlow + 1 : 0;
    if (this.nSlow < SLOW_FRAMES) return;
    Pace.isSaid = true;
    this.say();
  }

  say() {
    const note = document.createElement("div");
    note.setAttribute("role", "status");
    note.style.cssText = "display: flex; gap: 8px; align-items: baseline; padding: 4px 8px; font-size: 12px; opacity: 0.8";
    const away = document.createElement("button");
    away.textContent = "×";
    away.title = "Do not say it again";
    away.setAttribute("aria-label", away.title);
    away.onclick = () => note.remove();
    note.append(SLOW, away);
    this.element.after(note);
  }
}
