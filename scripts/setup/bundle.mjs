// Bundles the command line, and what Pulumi's host of dynamic providers imports: node bundle.mjs FOLDER. Each would
// load hundreds of files, which takes longer than most of what they do. What is needed later stays in files of its
// own, loaded when it is.
import { copyFileSync } from "node:fs";
import path from "node:path";
import { rolldown } from "rolldown";
import { root } from "./paths.mjs";

const [, , folder = path.join(root, "dist", "bundle")] = process.argv;

// Of the dependencies only zod, for its 95 files. The others stay the ones that are installed: they can be
// brought up to date, and are found by those who look for flaws.
const bundled = ["zod"];

const bundle = await rolldown({
  cwd: root,
  input: {
    fleetkeeper: path.join(root, "agent", "cli", "entry.ts"),
    provider: path.join(root, "provider", "entry.ts"),
  },
  platform: "node",
  // The oldest that the package runs on: nothing is rewritten for an older one.
  transform: { target: "node24" },
  // Not the bundler's own helpers: they come along.
  external: (id) => !/^(\.|@oxc-project\/)/.test(id) && !path.isAbsolute(id) && !bundled.includes(id),
});
await bundle.write({
  dir: folder,
  sourcemap: true,
  sourcemapExcludeSources: true,
  entryFileNames: "[name].js",
  chunkFileNames: "[name]-[hash].js",
});
await bundle.close();
for (const name of bundled)
  copyFileSync(path.join(root, "node_modules", name, "LICENSE"), path.join(folder, `${name}.LICENSE`));
