// npm run setup: only the set-up, which every other script does first.
import { main } from "./setup/main.mjs";
import { say } from "./setup/say.mjs";
import { setUp } from "./setup/set-up.mjs";

await main(async () => {
  const { node } = await setUp({ engine: !process.argv.includes("--without-engine") });
  say(`ready, with Node ${node.version}`);
  return 0;
});
