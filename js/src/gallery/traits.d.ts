import type { Model } from "../shared/model";

/** The traits of `latentmap.jupyter.gallery.Gallery`. */
export interface GalleryTraits {
  count: number;
  headline: string;
  /** Counts how often other cells, or other pictures, were to be shown. */
  version: number;
  order: string;
  _orders: string[];
  _about: string;
}

/** A cell: its layer, frame and label. */
export type Key = [string, number, number];

export type GalleryMessage =
  | { kind: "wanted"; version: number; places: number[]; size: number }
  | { kind: "clicked"; version: number; place: number };

/** The pictures that exist follow each other in the message's only buffer: red, green and blue of each pixel. */
export interface PicturesAnswer {
  version: number;
  places: number[];
  size: number;
  keys: Key[];
  /** Whether there is a picture of each. */
  seen: boolean[];
}

export type GalleryModel = Model<GalleryTraits, GalleryMessage, PicturesAnswer>;
