import type { Bytes, Model, Point, SelectionMode, Tool } from "../shared/model";

/** The traits of `latentmap.jupyter.image_pane.ImagePane`. Rows and columns refer to the highest resolution. */
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
  /** Red, green, blue and opacity of each cell, in the order of their numbers. */
  _colours: Bytes;
  /** A bit for each cell, in the order of their numbers. */
  _selected: Bytes;
}

export interface Picture {
  name: string;
  /** Null if there is only one. */
  frames: number | null;
  planes: number | null;
  /** Rows and columns. */
  size: [number, number];
  /** The width of a pixel, in units. */
  pixel: number | null;
  unit: string;
  /** Whether there are labels. */
  labels: boolean;
  /** Counts how often the cells were renumbered. */
  version: number;
  /** Counts how often the images were replaced. */
  pixels: number;
  /** The side of a tile, in pixels. */
  side: number;
  /** For each level, how many pixels of the highest resolution make one of its own, along an axis. */
  factors: number[];
  channels: Channel[];
}

export interface Channel {
  name: string;
  kind: ChannelKind;
  /** The values that the bytes 0 and 255 stand for, if not for themselves. */
  span?: [number, number];
}

export type ChannelKind = "uint8" | "uint16" | "float32" | "rgb";

export interface Look {
  visible: boolean;
  /** From 0 to 1; null if the image has its own colours. */
  colour: number[] | null;
  limits: [number, number];
  /** The range of the sliders. */
  range: [number, number];
}

export interface View {
  picture: number;
  frame: number;
  plane: number;
  /** The pixel in the centre. */
  row: number;
  column: number;
  /** The size of a pixel on the screen; null shows the whole picture. */
  zoom: number | null;
}

export interface Tile {
  picture: number;
  /** The index of the channel, or -1 for the labels. */
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
      /** The corners, or the path of the brush: rows and columns. */
      corners: Point[];
      /** Of the brush, in pixels of the picture. */
      radius?: number;
    };

/** The message's only buffer holds the pixels of the tile, unless they could not be read. */
export interface TileAnswer {
  type: "tile";
  tile: Tile;
  shape?: number[];
  packed?: boolean;
  error?: string;
}

export type ImageModel = Model<ImageTraits, ImageMessage, TileAnswer>;
