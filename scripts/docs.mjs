// npm run docs: writes the pages that follow from the program, and builds the site into .fleetkeeper/site.
import path from "node:path";
import { runInForeground } from "./setup/foreground.mjs";
import { main } from "./setup/main.mjs";
import { root } from "./setup/paths.mjs";
import { say } from "./setup/say.mjs";
import { setUp } from "./setup/set-up.mjs";

await main(async () => {
  const { env } = await setUp({ engine: false });
  for (const [command, ...args] of [
    ["node", "scripts/reference/write.ts"],
    ["typedoc", "--logLevel", "Error"],
    ["vitepress", "build", "docs"],
  ]) {
    const code = await runInForeground(String(command), args, { env, cwd: root });
    if (code !== 0) return code;
  }
  say(`the site is in ${path.join(root, ".fleetkeeper", "site")}; to look at it: npx vitepress preview docs`);
  return 0;
});
