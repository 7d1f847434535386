// Finds out that drawing is slow, and says so once.

const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render/i;
const SLOW =
  "This browser draws without a graphics card, and slowly: its settings may have hardware acceleration to switch on.";
const SLOW_FRAME = 200; // milliseconds
const SLOW_FRAMES = 5; // this many in a row are no coincidence
const TIME_EVERY = 1000; // milliseconds: the page stands still until a frame that is timed is drawn

/**
 * What draws: a graphics card, or software in its place.
 * @param {WebGL2RenderingContext} gl
 */
export function rendererName(gl) {
  const name = gl.getParameter(gl.RENDERER);
  if (name !== "WebKit WebGL") return String(name);
  const extension = gl.getExtension("WEBGL_debug_renderer_info");
  return extension ? String(gl.getParameter(extension.UNMASKED_RENDERER_WEBGL)) : "";
}

/** Times frames where software draws them, and notes below an element, once on a page, if they are slow. */
export class FrameTimer {
  static hasWarned = false;

  /**
   * @param {WebGL2RenderingContext} gl
   * @param {HTMLElement} element
   */
  constructor(gl, element) {
    this.gl = gl;
    this.element = element;
    this.isSoftware = SOFTWARE.test(rendererName(gl));
    this.nSlow = 0;
    this.nextTime = 0;
  }

  /**
   * Times a frame, for which everything has been asked of the renderer.
   * @param {number} start when the first thing was asked, in milliseconds
   */
  drawn(start) {
    if (!this.isSoftware || FrameTimer.hasWarned || start < this.nextTime) return;
    // Returns when the frame is drawn.
    this.gl.readPixels(0, 0, 1, 1, this.gl.RGBA, this.gl.UNSIGNED_BYTE, new Uint8Array(4));
    const now = performance.now();
    this.nextTime = now + TIME_EVERY;
    this.nSlow = now - start > SLOW_FRAME ? this.nSlow + 1 : 0;
    if (this.nSlow < SLOW_FRAMES) return;
    FrameTimer.hasWarned = true;
    this.element.after(warning());
  }
}

function warning() {
  const note = document.createElement("div");
  note.setAttribute("role", "status");
  note.style.cssText =
    "display: flex; gap: 8px; align-items: baseline; padding: 4px 8px; font-size: 12px; opacity: 0.8";
  const dismiss = document.createElement("button");
  dismiss.textContent = "×";
  dismiss.title = "Do not say it again";
  dismiss.setAttribute("aria-label", dismiss.title);
  dismiss.onclick = () => note.remove();
  note.append(SLOW, dismiss);
  return note;
}
