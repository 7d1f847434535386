import type { Bytes, Model, Point, SelectionMode } from "../shared/model";

export type PlotTool = "move" | "lasso" | "polygon" | "rectangle" | "threshold" | "quadrant";

/** The traits of `latentmap.jupyter.feature_plot_pane.FeaturePlotPane`. */
export interface PlotTraits {
  tool: PlotTool;
  /** The tools for this plot: the name of each, its label, and what it does. */
  _tools: [PlotTool, string, string][];
  /** The label and the tooltip of the button that shows everything. */
  _fit: [string, string];
  /** Counts how often the cells or their colours have changed. */
  version: number;
  /** Counts how often all cells came into view. */
  fits: number;
  height: number;
}

/** The part of the plot in view, as positions along the axes: left, right, bottom, top. */
export type Limits = [number, number, number, number];

export interface Outline {
  paths: Point[][];
  closed: boolean;
  handles: Point[];
  name: string;
  colour: string;
  current: boolean;
}

export type PlotMessage =
  | { kind: "wanted"; limits: Limits | null; size: Point; scale: number }
  | { kind: "drawn"; tool: PlotTool; points: Point[]; mode: SelectionMode }
  | { kind: "clicked"; point: Point; reach: Point; mode: SelectionMode }
  | { kind: "dragged"; handle: number | null; by: Point }
  | { kind: "dropped" };

export type PlotAnswer =
  | {
      kind: "picture";
      limits: Limits;
      /** The positions and texts of the ticks to the right and upwards. */
      ticks: [[number, string][], [number, string][]];
      titles: [string, string];
      histogram: boolean;
      outlines: Outline[];
    }
  | { kind: "outlines"; outlines: Outline[] };

export type PlotModel = Model<PlotTraits, PlotMessage, PlotAnswer>;
export type { Bytes };
