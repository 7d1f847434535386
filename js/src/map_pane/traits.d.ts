import type { Bytes, Model, Point, SelectionMode, Tool } from "../shared/model";

/** The traits of `latentmap.jupyter.map_pane.MapPane`. */
export interface MapTraits {
  /** To the right, upwards and towards the eye, from -1/2 to 1/2, as float32. */
  places: Bytes;
  /** How many numbers each place has: 2 or 3. */
  axes: number;
  /** Which colour of the palette each point has, as uint16. */
  codes: Bytes;
  /** From 0 for small points to 255 for large ones, as uint8. */
  shares: Bytes;
  /** Red, green, blue and opacity, as uint8. */
  palette: Bytes;
  /** A bit for each point. */
  selected: Bytes;
  hidden: Bytes;
  /** Counts how often points were drawn anew. */
  frame: number;
  /** Counts how often points were selected or hidden anew. */
  marks: number;
  size: number;
  spread: number;
  height: number;
  /** Empty where all of the map is seen. */
  view: Partial<MapView>;
  tool: Tool;
}

export interface MapView {
  centre: Point;
  zoom: number;
  turn: Turn;
}

/** What is to the right, upwards and towards the eye: three axes of the map. */
export type Turn = [number[], number[], number[]];

export type MapMessage =
  | { kind: "shown"; frame: number }
  | { kind: "hovered"; row: number; frame: number }
  | { kind: "clicked"; row: number; frame: number; mode: SelectionMode }
  | {
      kind: "drawn";
      /** To the right and upwards on the screen. */
      corners: Point[];
      /** What of the map's axes goes to the right and upwards on the screen. */
      turn: number[][];
      tool: Tool;
      mode: SelectionMode;
    };

export type MapModel = Model<MapTraits, MapMessage>;
