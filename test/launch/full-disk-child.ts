import { launch, takeList } from "../../launch/protocol.ts";
import { openSqliteLedger } from "../../ledger/sqlite/sqlite-ledger.ts";
import { FleetkeeperError } from "../../service/contract/errors.ts";
import { H100, stage } from "../support/stage.ts";

/**
 * Fills its ledger until the shell's limit on the size of a file is met, then launches. Says what that came to, and how
 * many POSTs the simulator has seen.
 */
const [path = ""] = process.argv.slice(2);
// The kernel sends it where a file grows past its limit: without a listener's leave the process would just end.
process.on("SIGXFSZ", () => undefined);
const ledger = openSqliteLedger({ path, newId: "ledger0000", now: 1 });
const on = await stage({ ledger });
const { keeper, clock } = on;
const { signal } = new AbortController();
await clock.run(takeList(keeper, signal));
const { offer, provider, location, gpus, pricePerHour } = H100;
const wish = {
  ...{ owner: "slot:one" as const, offer, provider, location, gpus, pricePerHour },
  ...{ parameters: {}, limits: {}, rules: [] },
};
const codeOf = async (work: Promise<unknown>): Promise<string> => {
  try {
    await work;
    return "done";
  } catch (error) {
    return error instanceof FleetkeeperError ? error.code : String(error);
  }
};
const fill = (): Promise<void> =>
  ledger.decide(keeper.account, (draft) => {
    draft.note({ at: 1, kind: "launch", owner: null, deployment: null, text: "x".repeat(4_000) });
  });
let filled = "done";
for (let rows = 0; rows < 400 && filled === "done"; rows++) filled = await codeOf(fill());
const launched = await codeOf(clock.run(launch(keeper, wish)));
process.stdout.write(JSON.stringify({ filled, launched, posts: on.launches() }));
