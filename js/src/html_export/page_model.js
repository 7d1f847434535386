// Stands in for the model that anywidget passes to a pane, on a page without a kernel.

/** @import { Bytes, Model } from "../shared/model" */

/**
 * @template {object} Traits
 * @template Message
 * @template [Answer=unknown]
 * @implements {Model<Traits, Message, Answer>}
 */
export class PageModel {
  /**
   * @param {Traits} state
   * @param {(message: Message) => void} answer does what the kernel does in a notebook
   */
  constructor(state, answer) {
    this.state = state;
    this.answer = answer;
    /** @type {Map<string, ((...heard: any[]) => void)[]>} */
    this.listeners = new Map();
  }

  /**
   * @template {keyof Traits} Name
   * @param {Name} name
   */
  get(name) {
    return this.state[name];
  }

  /**
   * @template {keyof Traits} Name
   * @param {Name} name
   * @param {Traits[Name]} value
   */
  set(name, value) {
    this.state[name] = value;
    this.tell(`change:${String(name)}`);
  }

  save_changes() {}

  /**
   * @param {string} name
   * @param {(...heard: any[]) => void} listener
   */
  on(name, listener) {
    this.listeners.set(name, [...(this.listeners.get(name) ?? []), listener]);
  }

  /**
   * @param {string} name
   * @param {(...heard: any[]) => void} listener
   */
  off(name, listener) {
    this.listeners.set(name, this.listeners.get(name)?.filter((one) => one !== listener) ?? []);
  }

  /**
   * @param {string} name
   * @param {unknown[]} heard
   */
  tell(name, ...heard) {
    for (const listener of this.listeners.get(name) ?? []) listener(...heard);
  }

  /**
   * A message from the kernel.
   * @param {Answer} answer
   * @param {Bytes[]} buffers
   */
  receive(answer, buffers) {
    this.tell("msg:custom", answer, buffers);
  }

  /**
   * A message to the kernel. As from a real kernel, no answer comes before the pane has finished its current work.
   * @param {Message} message
   */
  send(message) {
    queueMicrotask(() => this.answer(message));
  }
}
