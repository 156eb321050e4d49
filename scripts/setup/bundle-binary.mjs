// Bundles what the single-file binary runs, dependencies and all: node bundle-binary.mjs BEGIN FILE.
import { isBuiltin } from "node:module";
import { rolldown } from "rolldown";
import { root } from "./paths.mjs";

const [, , begin = "", file = ""] = process.argv;

// Not there, and asked for by `pg` only where somebody installed it.
const absent = ["pg-native"];

const bundle = await rolldown({
  cwd: root,
  input: begin,
  platform: "node",
  transform: { target: "node24" },
  external: (id) => isBuiltin(id) || absent.includes(id),
});
// CommonJS in one file is what Node 24 starts from inside a binary.
await bundle.write({ file, format: "cjs", codeSplitting: false });
await bundle.close();
