// Bundles what the single-file binary runs, dependencies and all: node bundle-binary.mjs BEGIN FILE.
import { createRequire, isBuiltin } from "node:module";
import path from "node:path";
import { rolldown } from "rolldown";
import { root } from "./paths.mjs";

const [, , begin = "", file = ""] = process.argv;

// Not there, and asked for by `pg` only where somebody installed it.
const absent = ["pg-native"];

/**
 * What provider/plugin/sdk.ts finds at run time beside the package, a binary has inside: the bundler sees a require.
 * @type {import("rolldown").Plugin}
 */
const sdkInside = {
  name: "sdk-inside",
  transform(code, id) {
    if (id !== path.join(root, "provider", "plugin", "sdk.ts")) return undefined;
    const { resolve } = createRequire(createRequire(id).resolve("@pulumi/pulumi/package.json"));
    const inside = code.replace(/^const sdk = .*$/m, "");
    return inside.replaceAll(/\bsdk\(\s*("[^"]+"),?\s*\)/g, (_call, name) => {
      return `require(${JSON.stringify(resolve(JSON.parse(name)))})`;
    });
  },
};

const bundle = await rolldown({
  cwd: root,
  input: begin,
  platform: "node",
  transform: { target: "node24" },
  plugins: [sdkInside],
  external: (id) => isBuiltin(id) || absent.includes(id),
});
// CommonJS in one file is what Node 24 starts from inside a binary.
await bundle.write({ file, format: "cjs", codeSplitting: false });
await bundle.close();
