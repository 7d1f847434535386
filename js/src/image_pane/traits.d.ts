import type { Bytes, Model, Point, SelectionMode, Tool } from "../shared/model";

/** The traits of `latentmap.jupyter.image_pane.ImagePane`. Rows and columns are those of the highest resolution. */
export interface ImageTraits {
  tool: Tool;
  height: number;
  opacity: number;
  /** As `#rrggbb`. */
  highlight: string;
  _pictures: Picture[];
  /** How each channel of each picture is shown. */
  _looks: Look[][];
  _view: View;
  /** Red, green, blue and opacity of each cell, by its number. */
  _colours: Bytes;
  /** A bit for each cell, by its number. */
  _selected: Bytes;
}

export interface Picture {
  name: string;
  /** Null where there is only one. */
  frames: number | null;
  planes: number | null;
  /** Rows and columns. */
  size: [number, number];
  /** The width of a pixel, in units. */
  pixel: number | null;
  unit: string;
  /** Whether there are labels. */
  labels: boolean;
  /** Counts how often the cells got other numbers. */
  version: number;
  /** Rows and columns of a tile. */
  side: number;
  /** How many pixels of the highest resolution make one of each level, along an axis. */
  factors: number[];
  channels: Channel[];
}

export interface Channel {
  name: string;
  kind: ChannelKind;
  /** The values that the bytes 0 and 255 stand for, where they do not stand for themselves. */
  span?: [number, number];
}

export type ChannelKind = "uint8" | "uint16" | "float32" | "rgb";

export interface Look {
  visible: boolean;
  /** From 0 to 1; null where the image has colours of its own. */
  colour: number[] | null;
  limits: [number, number];
  /** What the limits can be set to. */
  range: [number, number];
}

export interface View {
  picture: number;
  frame: number;
  plane: number;
  /** The pixel in the middle. */
  row: number;
  column: number;
  /** How large a pixel is on the screen; null shows all of the picture. */
  zoom: number | null;
}

export interface Tile {
  picture: number;
  /** The channel's place, or -1 for the labels. */
  source: number;
  level: number;
  frame: number;
  plane: number;
  row: number;
  column: number;
}

export type ImageMessage =
  | { type: "tile"; tile: Tile }
  | { type: "hover"; number: number | null }
  | { type: "click"; number: number | null; mode: SelectionMode }
  | {
      type: "drawn";
      picture: number;
      frame: number;
      plane: number;
      tool: Tool;
      mode: SelectionMode;
      /** Rows and columns. */
      corners: Point[];
    };

/** The pixels of a tile are in the message's only buffer, unless they could not be read. */
export interface TileAnswer {
  type: "tile";
  tile: Tile;
  shape?: number[];
  packed?: boolean;
  error?: string;
}

export type ImageModel = Model<ImageTraits, ImageMessage, TileAnswer>;
