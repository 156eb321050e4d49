// node scripts/python-sdk.mjs: writes sdk/python from provider/plugin/schema.json, with the engine's own generator.
// It needs Go. README.md there is written by hand.
import { readdirSync, rmSync } from "node:fs";
import path from "node:path";
import { main } from "./setup/main.mjs";
import { root } from "./setup/paths.mjs";
import { writePythonSdk } from "./setup/python-sdk.mjs";

await main(async () => {
  const folder = path.join(root, "sdk", "python");
  for (const name of readdirSync(folder)) {
    if (name !== "README.md") rmSync(path.join(folder, name), { recursive: true });
  }
  await writePythonSdk(folder, process.env);
  return 0;
});
