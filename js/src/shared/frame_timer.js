// Detects slow drawing, and tells the user once.

const SOFTWARE = /swiftshader|llvmpipe|softpipe|software|basic render/i;
const SLOW =
  "Drawing is slow, because this browser does not use a graphics card. " +
  "Its settings may let you turn on hardware acceleration.";
const SLOW_FRAME = 200; // milliseconds
const SLOW_FRAMES = 5; // in a row: fewer may be a coincidence
const TIME_EVERY = 1000; // milliseconds: timing a frame blocks the page until it is drawn

/**
 * The name of the graphics card, or of the software that draws in its place.
 * @param {WebGL2RenderingContext} gl
 */
export function rendererName(gl) {
  const name = gl.getParameter(gl.RENDERER);
  if (name !== "WebKit WebGL") return String(name);
  const extension = gl.getExtension("WEBGL_debug_renderer_info");
  return extension ? String(gl.getParameter(extension.UNMASKED_RENDERER_WEBGL)) : "";
}

/**
 * Whether no graphics card draws.
 * @param {WebGL2RenderingContext} gl
 */
export function drawsBySoftware(gl) {
  return SOFTWARE.test(rendererName(gl));
}

/** Times frames that are drawn by software, and shows a note below an element, once per page, if they are slow. */
export class FrameTimer {
  static hasWarned = false;

  /**
   * @param {WebGL2RenderingContext} gl
   * @param {HTMLElement} element
   */
  constructor(gl, element) {
    this.gl = gl;
    this.element = element;
    this.isSoftware = drawsBySoftware(gl);
    this.nSlow = 0;
    this.nextTime = 0;
  }

  /**
   * Times a frame after all of its drawing commands.
   * @param {number} start when the first of them was issued, in milliseconds
   */
  drawn(start) {
    if (!this.isSoftware || FrameTimer.hasWarned || start < this.nextTime) return;
    // Returns once the frame is drawn.
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
  dismiss.title = "Do not show this again";
  dismiss.setAttribute("aria-label", dismiss.title);
  dismiss.onclick = () => note.remove();
  note.append(SLOW, dismiss);
  return note;
}
