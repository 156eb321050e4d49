// Bundles all that runs: the command line, what Pulumi's host of dynamic providers imports, and the package's other
// entries: node bundle.mjs FOLDER. Each would load hundreds of files, which takes longer than most of what they do.
// What is needed later stays in files of its own, loaded when it is. What several need is there once.
import { copyFileSync } from "node:fs";
import path from "node:path";
import { rolldown } from "rolldown";
import { root } from "./paths.mjs";

const [, , folder = path.join(root, "dist", "bundle")] = process.argv;

// Of the dependencies only zod, for its 95 files. The others stay the ones that are installed: they can be
// brought up to date, and are found by those who look for flaws.
const bundled = ["zod"];
/** The rooms that programs import by their names. */
const rooms = ["agent", "service", "ledger", "simulator"];

const bundle = await rolldown({
  cwd: root,
  input: {
    fleetkeeper: path.join(root, "agent", "cli", "entry.ts"),
    provider: path.join(root, "provider", "entry.ts"),
    "pulumi-resource-fleetkeeper": path.join(root, "provider", "plugin", "entry.ts"),
    index: path.join(root, "provider", "index.ts"),
    // Whoever launches opens an account first: the one index has the other.
    launch: path.join(root, "account", "index.ts"),
    ...Object.fromEntries(rooms.map((room) => [room, path.join(root, room, "index.ts")])),
  },
  platform: "node",
  // The oldest that the package runs on: nothing is rewritten for an older one.
  transform: { target: "node24" },
  // Not the bundler's own helpers: they come along.
  external: (id) => !/^(\.|@oxc-project\/)/.test(id) && !path.isAbsolute(id) && !bundled.includes(id),
});
await bundle.write({
  dir: folder,
  entryFileNames: "[name].js",
  chunkFileNames: "[name]-[hash].js",
});
await bundle.close();
for (const name of bundled)
  copyFileSync(path.join(root, "node_modules", name, "LICENSE"), path.join(folder, `${name}.LICENSE`));
