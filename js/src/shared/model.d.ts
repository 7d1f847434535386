/** The model that anywidget passes to a widget's script: the traits that are synchronised with Python. */
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

/** The value of a `Bytes` trait, or a buffer of a message. */
export type Bytes = ArrayBuffer | ArrayBufferView<ArrayBuffer>;

export type Point = [number, number];

export type Tool = "move" | "lasso" | "polygon" | "rectangle" | "brush";

/** How newly picked cells change the selection. */
export type SelectionMode = "replace" | "add" | "subtract" | "intersect";
