import { elapsed, type Instant, MINUTE_MS } from "../../ledger/instant.ts";
import { keptFleets, replaceUnready, running, storeCheck } from "../planning/machines/readiness.ts";
import { isSetUp } from "../planning/machines/setup.ts";
import type { Ask } from "./ask.ts";
import type { Kind } from "./machine-watch.ts";

/** A ready machine is asked again after this time. One that is not ready is asked after each tick. */
const AGAIN_MS = MINUTE_MS;

interface Seen {
  readonly at: Instant;
  readonly failingSince: Instant | undefined;
}

/** Whether running machines are ready. An unknown answer is none: it is not ready yet. */
export function readiness(ask: Ask): Kind {
  /** When this process last asked each machine, and since when it was never ready. */
  const seen = new Map<string, Seen>();
  return {
    due: (draft, context) => {
      const all = keptFleets(draft, context).flatMap((fleet) =>
        running(draft, fleet.name)
          .filter((row) => isSetUp(row, fleet))
          .map((row) => ({ fleet, row })),
      );
      const ids = new Set(all.map(({ row }) => row.id));
      for (const id of seen.keys()) if (!ids.has(id)) seen.delete(id);
      return all
        .filter(({ row }) => {
          const last = seen.get(row.id);
          return !last || !row.ready?.ok || elapsed(last.at, context.now) >= AGAIN_MS;
        })
        .map(({ fleet: { name, source, ready }, row }) => ({
          id: row.id,
          ask: (signal) => ask({ fleet: name, source, row }, ready, signal),
        }));
    },
    store: (draft, answered, context) => {
      const failing = new Map<string, Instant>();
      for (const { id, answer, at } of answered) {
        const failingSince = answer.kind === "good" ? undefined : (seen.get(id)?.failingSince ?? at);
        seen.set(id, { at, failingSince });
        if (failingSince) failing.set(id, failingSince);
        storeCheck(draft, id, answer, context);
      }
      // A list that is not believed does not say what runs: then nothing is stopped.
      if (draft.account.doubt === null) replaceUnready(draft, failing, context);
    },
  };
}
