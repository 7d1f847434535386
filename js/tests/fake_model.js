// Stand-ins for what the browser and anywidget hand to a widget.

/** A model that remembers what is sent. */
export class FakeModel {
  constructor(state) {
    this.state = state;
    /** @type {any[]} */
    this.sent = [];
    this.nSaved = 0;
    /** @type {Map<string, Set<Function>>} */
    this.listeners = new Map();
  }

  get(name) {
    return this.state[name];
  }

  set(name, value) {
    this.state = { ...this.state, [name]: value };
    for (const listener of this.listeners.get(`change:${name}`) ?? []) listener();
  }

  on(name, listener) {
    this.listeners.set(name, (this.listeners.get(name) ?? new Set()).add(listener));
  }

  off(name, listener) {
    this.listeners.get(name)?.delete(listener);
  }

  send(message) {
    this.sent.push(message);
  }

  save_changes() {
    this.nSaved++;
  }
}

/** A WebGL context of which every method can be called; it counts the textures that there are. */
export function fakeGl() {
  const counts = { textures: 0 };
  const gl = new Proxy(counts, {
    get(target, name) {
      if (name === "textures") return target.textures;
      if (name === "createTexture") return () => ({ number: ++target.textures });
      if (name === "deleteTexture") return (texture) => texture && target.textures--;
      return () => ({});
    },
  });
  return /** @type {any} */ (gl);
}

/** An event with the properties that a handler reads. */
export function event(name, properties) {
  const keys = { shiftKey: false, ctrlKey: false, metaKey: false, altKey: false };
  const made = new Event(name, { cancelable: true });
  for (const [key, value] of Object.entries({ ...keys, button: 0, pointerId: 1, ...properties }))
    Object.defineProperty(made, key, { value });
  return made;
}

/** A picture of 1000 rows and 2000 columns, with labels and two channels. */
export function picture(change = {}) {
  return {
    name: "cells",
    frames: null,
    planes: null,
    size: [1000, 2000],
    pixel: 0.5,
    unit: "um",
    labels: true,
    version: 0,
    side: 256,
    factors: [1, 2, 4, 8],
    channels: [
      { name: "DNA", kind: "uint16" },
      { name: "marker", kind: "uint8" },
    ],
    ...change,
  };
}

export const LOOK = { visible: true, colour: [1, 1, 1], limits: [0, 100], range: [0, 200] };

/** The state of an image pane that shows all of a picture. */
export function imageState(change = {}) {
  return {
    tool: "lasso",
    _pictures: [picture()],
    _looks: [[LOOK, { ...LOOK, visible: false }]],
    _view: { picture: 0, frame: 0, plane: 0, row: 0, column: 0, zoom: null },
    ...change,
  };
}

/** Timers that ring only when the test says how many milliseconds have gone by. */
export function fakeTimers(context) {
  let now = 0;
  /** @type {{ at: number, act: () => void }[]} */
  let timers = [];
  const set = (act, delay) => {
    const timer = { at: now + delay, act };
    timers.push(timer);
    return timer;
  };
  const clear = (timer) => {
    timers = timers.filter((one) => one !== timer);
  };
  context.mock.method(globalThis, "setTimeout", set);
  context.mock.method(globalThis, "clearTimeout", clear);
  return (milliseconds) => {
    now += milliseconds;
    for (const timer of timers.filter(({ at }) => at <= now)) {
      clear(timer);
      timer.act();
    }
  };
}
