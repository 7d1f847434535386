// The connection of a widget to the kernel.
//
// Once the kernel has ended or was restarted nothing can be sent: the widget then says so, instead of failing at every
// move of the mouse.

/** @import { Model } from "./model" */

const CUT = "The kernel has ended or was started anew. Run this cell again.";

/** @type {WeakMap<object, Connection<any, any, any>>} */
const connections = new WeakMap();

/**
 * A model whose messages may get lost.
 * @template Traits, Message, Answer
 */
export class Connection {
  /** @param {Model<Traits, Message, Answer>} model */
  constructor(model) {
    this.model = model;
    /** @type {Set<HTMLElement>} */
    this.elements = new Set();
    this.isCut = false;
    /** @type {Model<Traits, Message, Answer>["get"]} */
    this.get = (name) => model.get(name);
    /** @type {Model<Traits, Message, Answer>["set"]} */
    this.set = (name, value) => model.set(name, value);
    this.on = /** @type {Model<Traits, Message, Answer>["on"]} */ (model.on.bind(model));
    this.off = /** @type {Model<Traits, Message, Answer>["off"]} */ (model.off.bind(model));
  }

  /** @param {Message} message */
  send(message) {
    this.attempt(() => this.model.send(message));
  }

  save_changes() {
    this.attempt(() => this.model.save_changes());
  }

  /** @param {() => void} act */
  attempt(act) {
    if (this.isCut) return;
    try {
      act();
    } catch {
      this.isCut = true;
      for (const element of this.elements) element.prepend(noteOfCut());
    }
  }
}

/**
 * The connection of a model, which all of its views share.
 * @template Traits, Message, Answer
 * @param {Model<Traits, Message, Answer>} model
 * @param {HTMLElement} element where a view says that the connection is cut
 * @returns {Connection<Traits, Message, Answer>}
 */
export function connect(model, element) {
  const connection = connections.get(model) ?? new Connection(model);
  connections.set(model, connection);
  connection.elements.add(element);
  return connection;
}

function noteOfCut() {
  const note = document.createElement("div");
  note.setAttribute("role", "alert");
  note.style.cssText = "padding: 4px 8px; color: #fff; background: #b3261e; font-size: 13px";
  note.textContent = CUT;
  return note;
}
