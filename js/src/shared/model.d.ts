/** What anywidget hands to a widget's script: the traits of the Python class that are kept the same on both sides. */
export interface Model<Traits, Message = never, Answer = unknown> {
  get<Name extends keyof Traits>(name: Name): Traits[Name];
  set<Name extends keyof Traits>(name: Name, value: Traits[Name]): void;
  on(name: `change:${keyof Traits & string}`, listener: () => void): void;
  on(name: "msg:custom", listener: (answer: Answer, buffers: Bytes[]) => void): void;
  off(name: `change:${keyof Traits & string}`, listener: () => void): void;
  off(name: "msg:custom", listener: (answer: Answer, buffers: Bytes[]) => void): void;
  send(message: Message): void;
  save_changes(): void;
}

/** A trait of type `Bytes`, or a buffer of a message. */
export type Bytes = ArrayBuffer | ArrayBufferView<ArrayBuffer>;

export type Point = [number, number];

export type Tool = "move" | "lasso" | "rectangle";

/** What happens to the cells that are selected already. */
export type SelectionMode = "replace" | "add" | "subtract" | "intersect";
