import type { Bytes, Model, Point, SelectionMode, Tool } from "../shared/model";

/** The traits of `latentmap.jupyter.map_pane.MapPane`. */
export interface MapTraits {
  /** Coordinates to the right, upwards and towards the viewer, from -1/2 to 1/2, as float32. */
  places: Bytes;
  /** The number of coordinates of each point: 2 or 3. */
  axes: number;
  /** The index of each point's colour in the palette, as uint16. */
  codes: Bytes;
  /** From 0 for small points to 255 for large ones, as uint8. */
  shares: Bytes;
  /** Red, green, blue and opacity, as uint8. */
  palette: Bytes;
  /** A bit for each point. */
  selected: Bytes;
  hidden: Bytes;
  /** A bit for each point: those that lie further out than the edge of the map, where they are drawn as arrows. */
  beyond: Bytes;
  hollow: Bytes;
  /** Half the width and height of the map; 1/2 along its longest side. */
  half: Point;
  /** Counts how often the points have changed. */
  frame: number;
  /** Counts how often `selected` or `hidden` has changed. */
  marks: number;
  /** The points that lines join, two for each, as uint32: the tracks of cells. */
  links: Bytes;
  /** The same for the track that stands out. */
  path: Bytes;
  /** The frame of each point, as int32; empty if they are not followed in time. */
  times: Bytes;
  /** The frame whose points stand out; -1 if all look alike. */
  now: number;
  /** After how many frames a step of a track counts as long past. */
  tail: number;
  /** Counts how often `links`, `path` or `times` has changed. */
  lines: number;
  size: number;
  spread: number;
  height: number;
  /** Empty if the whole map is in view. */
  view: Partial<MapView>;
  tool: Tool;
  /** Cells that were placed on the map, as in `places`; a page of the HTML export has none. */
  guests?: Bytes;
  /**
   * A faint field below the points: the opacity of each pixel in white and in black ink, as uint8, row by row from the
   * uppermost. A page of the HTML export has none.
   */
  field?: Bytes;
  /** The pixels in a row of the field. */
  field_width?: number;
  /** Its left, lower, right and upper edge, as in `places`. */
  field_box?: number[];
  /** The names of groups, those of the largest first. */
  names: GroupName[];
}

export interface GroupName {
  text: string;
  /** As in `places`. */
  place: number[];
}

export interface MapView {
  centre: Point;
  zoom: number;
  turn: Turn;
}

/** Which directions of the map point right, up and towards the viewer. */
export type Turn = [number[], number[], number[]];

export type MapMessage =
  | { kind: "shown"; frame: number }
  | { kind: "hovered"; row: number; frame: number }
  | { kind: "escaped" }
  | { kind: "clicked"; row: number; frame: number; mode: SelectionMode }
  | {
      kind: "drawn";
      /** The corners, or the path of the brush: coordinates to the right and upwards on the screen. */
      corners: Point[];
      /** Of the brush, as a coordinate. */
      radius?: number;
      /** Which directions of the map point right and up on the screen. */
      turn: number[][];
      tool: Tool;
      frame: number;
      mode: SelectionMode;
    };

export type MapModel = Model<MapTraits, MapMessage>;
