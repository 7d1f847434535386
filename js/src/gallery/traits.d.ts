import type { Model } from "../shared/model";

/** The traits of `latentmap.jupyter.gallery.Gallery`. */
export interface GalleryTraits {
  count: number;
  headline: string;
  /** Counts how often the cells or their pictures have changed. */
  version: number;
  order: string;
  _orders: string[];
  _about: string;
}

/** The layer, frame and label of a cell. */
export type Key = [string, number, number];

export type GalleryMessage =
  | { kind: "wanted"; version: number; places: number[]; size: number }
  | { kind: "clicked"; version: number; place: number };

/** The message's only buffer holds the pictures that exist, one after another: red, green and blue of each pixel. */
export interface PicturesAnswer {
  version: number;
  places: number[];
  size: number;
  keys: Key[];
  /** Whether each cell has a picture. */
  seen: boolean[];
}

export type GalleryModel = Model<GalleryTraits, GalleryMessage, PicturesAnswer>;
