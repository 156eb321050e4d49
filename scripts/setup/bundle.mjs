// Bundles the command line: node bundle.mjs FOLDER. A command would load 240 files, which takes longer than
// most of them do. What a command needs later stays in files of its own, loaded when it is.
import { copyFileSync } from "node:fs";
import path from "node:path";
import { rolldown } from "rolldown";
import { root } from "./paths.mjs";

const [, , folder = path.join(root, "dist", "cli")] = process.argv;

// Of the dependencies only zod, for its 95 files. The others stay the ones that are installed: they can be
// brought up to date, and are found by those who look for flaws.
const bundled = ["zod"];

const bundle = await rolldown({
  cwd: root,
  input: { fleetkeeper: path.join(root, "agent", "cli", "entry.ts") },
  platform: "node",
  external: (id) => !id.startsWith(".") && !path.isAbsolute(id) && !bundled.includes(id),
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
