// The connection of a widget to the kernel.
//
// Once the kernel has stopped or was restarted, nothing can be sent: the widget then says so, instead of raising an
// error at every move of the mouse.

/** @import { Model } from "./model" */

const LOST = "The kernel has stopped or was restarted. Run this cell again.";

/** @type {WeakMap<object, Connection<any, any, any>>} */
const connections = new WeakMap();

/**
 * A model whose connection to the kernel may be lost.
 * @template Traits, Message, Answer
 */
export class Connection {
  /** @param {Model<Traits, Message, Answer>} model */
  constructor(model) {
    this.model = model;
    /** @type {Set<HTMLElement>} */
    this.elements = new Set();
    this.isLost = false;
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
    if (this.isLost) return;
    try {
      act();
    } catch {
      this.isLost = true;
      for (const element of this.elements) element.prepend(lossNote());
    }
  }
}

/**
 * The connection of a model, shared by all of its views.
 * @template Traits, Message, Answer
 * @param {Model<Traits, Message, Answer>} model
 * @param {HTMLElement} element where the view says that the connection is lost
 * @returns {Connection<Traits, Message, Answer>}
 */
export function connect(model, element) {
  const connection = connections.get(model) ?? new Connection(model);
  connections.set(model, connection);
  connection.elements.add(element);
  return connection;
}

function lossNote() {
  const note = document.createElement("div");
  note.setAttribute("role", "alert");
  note.style.cssText = "padding: 4px 8px; color: #fff; background: #b3261e; font-size: 13px";
  note.textContent = LOST;
  return note;
}
