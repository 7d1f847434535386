// Pictures of cells in rows. Only those in sight are asked for, a few at a time, and the next when these are there.

const SIDE = 64; // of a picture, in pixels of the page
const GAP = 6;
const LINE = 16; // the height of a caption
const AT_ONCE = 12; // pictures in one question

function pixels(bytes, start, size) {
  const image = new ImageData(size, size);
  for (let at = 0, from = start; at < size * size; at++) {
    image.data[4 * at] = bytes[from++];
    image.data[4 * at + 1] = bytes[from++];
    image.data[4 * at + 2] = bytes[from++];
    image.data[4 * at + 3] = 255;
  }
  return image;
}

function caption([layer, frame, label]) {
  return `Label ${label} of "${layer}", frame ${frame}. Click: go there.`;
}

class Gallery {
  constructor(model, el) {
    this.model = model;
    this.made = new Map(); // place -> its figure
    this.asked = false;
    el.classList.add("latentmap-gallery");
    this.headline = document.createElement("span");
    this.order = document.createElement("select");
    this.order.title = model.get("_about");
    this.order.setAttribute("aria-label", "order");
    this.order.append(...model.get("_orders").map((name) => new Option(name)));
    this.order.onchange = () => {
      model.set("order", this.order.value);
      model.save_changes();
    };
    const head = document.createElement("div");
    head.className = "latentmap-head";
    head.append(this.headline, this.order);
    this.box = document.createElement("div");
    this.box.className = "latentmap-figures";
    this.room = document.createElement("div"); // as high as all rows together
    this.box.append(this.room);
    this.box.onscroll = () => this.lay();
    el.append(head, this.box);
    this.observer = new ResizeObserver(() => this.lay());
    this.observer.observe(this.box);
    this.watches = { "change:version": () => this.renew(), "msg:custom": (content, buffers) => this.take(content, buffers) };
    for (const [name, act] of Object.entries(this.watches)) model.on(name, act);
    this.renew();
  }

  renew() {
    for (const figure of this.made.values()) figure.remove();
    this.made.clear();
    this.asked = false;
    this.version = this.model.get("version");
    const any = this.model.get("count") > 0;
    this.headline.textContent = this.model.get("headline");
    this.order.value = this.model.get("order");
    this.order.style.display = this.box.style.display = any ? "" : "none";
    this.box.scrollTop = 0;
    this.lay();
  }

  // Puts a figure at every place in sight, and asks for their pictures.
  lay() {
    const width = this.box.clientWidth;
    const count = this.model.get("count");
    if (!width || !count) return;
    const columns = Math.max(1, Math.floor((width + GAP) / (SIDE + GAP)));
    const row = SIDE + LINE + GAP;
    this.room.style.height = `${Math.ceil(count / columns) * row}px`;
    const first = Math.floor(this.box.scrollTop / row) * columns;
    const last = Math.min(count, Math.ceil((this.box.scrollTop + this.box.clientHeight) / row) * columns);
    for (const [place, figure] of this.made) {
      if (place >= first && place < last) continue;
      figure.remove();
      this.made.delete(place);
    }
    for (let place = first; place < last; place++) {
      const figure = this.made.get(place) ?? this.figure(place);
      figure.style.left = `${(place % columns) * (SIDE + GAP)}px`;
      figure.style.top = `${Math.floor(place / columns) * row}px`;
    }
    this.ask();
  }

  figure(place) {
    const figure = document.createElement("figure");
    const canvas = document.createElement("canvas");
    canvas.style.width = canvas.style.height = `${SIDE}px`;
    figure.append(canvas, document.createElement("figcaption"));
    figure.onclick = () => this.model.send({ kind: "clicked", version: this.version, place });
    this.room.append(figure);
    this.made.set(place, figure);
    return figure;
  }

  ask() {
    const places = [...this.made].filter(([, figure]) => !figure.title).map(([place]) => place);
    if (this.asked || !places.length) return;
    this.asked = true;
    const size = Math.round(SIDE * (window.devicePixelRatio || 1));
    this.model.send({ kind: "wanted", version: this.version, places: places.slice(0, AT_ONCE), size });
  }

  take(content, buffers) {
    if (content.version !== this.version) return;
    this.asked = false;
    const { size } = content;
    const bytes = new Uint8Array(buffers[0].buffer, buffers[0].byteOffset, buffers[0].byteLength);
    let start = 0;
    for (const [at, place] of content.places.entries()) {
      const image = content.seen[at] ? pixels(bytes, start, size) : null;
      start += image ? 3 * size * size : 0;
      const figure = this.made.get(place);
      if (!figure) continue; // out of sight by now
      figure.title = caption(content.keys[at]);
      figure.lastChild.textContent = content.keys[at][2];
      Object.assign(figure.firstChild, { width: size, height: size });
      if (image) figure.firstChild.getContext("2d").putImageData(image, 0, 0);
    }
    this.ask();
  }

  close() {
    for (const [name, act] of Object.entries(this.watches)) this.model.off(name, act);
    this.observer.disconnect();
  }
}

function render({ model, el }) {
  const gallery = new Gallery(lineOf(model, el), el);
  return () => gallery.close();
}

export default { render };
