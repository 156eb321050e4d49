import { elapsed, type Instant } from "../../ledger/instant.ts";
import { replaceUnhealthy, storeHealth, watched, watchedFleets } from "../planning/machines/health.ts";
import type { Ask } from "./ask.ts";
import type { Kind } from "./machine-watch.ts";

/** Whether machines that are ready are healthy. All are asked after each tick, those first that are bad or were not asked for long. */
export function health(ask: Ask): Kind {
  /** When this process last heard of each machine. */
  const heard = new Map<string, Instant>();
  /** Whose answers are on their way or not stored yet: until then what it said before is not its newest. */
  const asking = new Set<string>();
  return {
    due: (draft, context) => {
      const all = watchedFleets(draft, context).flatMap((fleet) =>
        watched(draft, fleet).map((row) => ({ fleet, row })),
      );
      const ids = new Set(all.map(({ row }) => row.id));
      for (const id of heard.keys()) if (!ids.has(id)) heard.delete(id);
      for (const id of asking) if (!ids.has(id)) asking.delete(id);
      const urgency = (id: string, isBad: boolean): number => {
        const last = heard.get(id);
        return isBad || !last ? Number.POSITIVE_INFINITY : elapsed(last, context.now);
      };
      return all
        .map((each) => ({ ...each, urgency: urgency(each.row.id, each.row.health?.bad !== undefined) }))
        .sort((one, other) => (one.urgency === other.urgency ? 0 : other.urgency - one.urgency))
        .map(({ fleet: { name, source, health: question }, row }) => ({
          id: row.id,
          ask: (signal) => {
            asking.add(row.id);
            return ask({ fleet: name, source, row }, question, signal);
          },
        }));
    },
    store: (draft, answered, context) => {
      const fleets = watchedFleets(draft, context);
      const checks = new Map(
        fleets.flatMap((fleet) => watched(draft, fleet).map(({ id }) => [id, fleet.health] as const)),
      );
      for (const { id, answer, at } of answered) {
        heard.set(id, at);
        asking.delete(id);
        const check = checks.get(id);
        if (check) storeHealth(draft, id, { answer, at }, check, context);
      }
      // A list that is not believed does not say what runs: then nothing is stopped.
      if (draft.account.doubt === null) replaceUnhealthy(draft, asking, context);
    },
  };
}
