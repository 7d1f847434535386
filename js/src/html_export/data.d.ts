import type { ImageTraits } from "../image_pane/traits";
import type { MapTraits } from "../map_pane/traits";

/** An array as text, written by `latentmap.jupyter.base64_arrays.as_base64`. */
export interface PackedArray {
  /** The type of its items: a letter, and the number of bytes. */
  type: "u1" | "u4" | "i4" | "i8" | "f4" | "f8";
  /** Compressed by zlib, in base64. */
  packed: string;
}

export type NumberArray =
  | Uint8Array<ArrayBuffer>
  | Uint32Array
  | Int32Array
  | BigInt64Array
  | Float32Array
  | Float64Array;

export type PackedTile = PackedArray & { shape: number[] };

/** The data in the page, with all arrays unpacked except those of the tiles, because few tiles are looked at. */
export interface PageData {
  cells: Cells;
  maps: MapData[];
  image: ImagesData | null;
  /** The numbers of the cells that each button selects. */
  groups: Int32Array[];
  /** The numbers of the cells selected at first. */
  selected: Int32Array;
}

export interface Cells {
  n: number;
  labels: BigInt64Array;
  frames: BigInt64Array;
  layers: Words;
  columns: Column[];
}

export interface Words {
  words: string[];
  /** Which word each cell has; -1 for none. */
  codes: Int32Array;
}

export type Column = { name: string; absent: string } & (
  | ({ values?: undefined } & Words)
  | { values: Float32Array | Float64Array }
);

export interface MapData {
  /** The cell of each point. */
  numbers: Int32Array;
  state: Omit<MapTraits, "selected" | "frame" | "marks"> & { places: Uint8Array<ArrayBuffer>; hidden: Uint8Array };
}

export interface ImagesData {
  state: Omit<ImageTraits, "_selected">;
  /** The keys are picture, source, level, frame, plane, row and column, joined by commas. */
  tiles: Record<string, PackedTile>;
}
