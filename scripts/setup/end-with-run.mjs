// Started by scripts/test.mjs beside its tests, in a group of its own. Standard input ends with the run, however that ends.
import { endLeftOver } from "./leftover.mjs";

process.stdin.resume().once("close", () => endLeftOver((run) => run === process.argv[2]));
