// Bundles each widget, and the page of the HTML export, into one file of the Python package.
// `node build.js FOLDER` writes elsewhere: a test compares the result with what is committed.

import { build } from "esbuild";

const STATIC = new URL("../src/latentmap/jupyter/static/", import.meta.url).pathname;

await build({
  absWorkingDir: new URL(".", import.meta.url).pathname,
  entryPoints: [
    "image_pane",
    "map_pane",
    "gallery",
    "tick_list",
    "legend",
    "feature_plot",
    "into_view",
    "html_export",
  ].map((name) => ({
    in: `src/${name}/main.js`,
    out: name,
  })),
  outdir: process.argv[2] ?? STATIC,
  bundle: true,
  format: "esm",
  target: "esnext",
  charset: "utf8",
  // Names stay, so that the console says where an error is.
  minifyWhitespace: true,
  minifySyntax: true,
  banner: { js: "// Made from js/src by `npm run build`; change it there. docs/javascript.md says more." },
});
