// Started by scripts/test.mjs beside its tests, in a group of its own. Standard input ends with the run, however that ends.
import { setTimeout as sleep } from "node:timers/promises";
import { endLeftOver } from "./leftover.mjs";

process.stdin.resume().once("close", async () => {
  // Again while something was there: what is ended may just have begun something.
  while (endLeftOver((run) => run === process.argv[2]).length > 0) await sleep(500);
});
