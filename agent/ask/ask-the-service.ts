import { type Keeper, lookIfPossible } from "../../launch/keeper.ts";
import { wakeAgent } from "../../launch/mark-wake.ts";
import { elapsed, HOUR_MS, type Instant, MINUTE_MS } from "../../ledger/instant.ts";
import { readDraft } from "../../ledger/read-draft.ts";
import type { Ask } from "./ask.ts";

/** The first wait before a machine is looked at once more; doubles with each look, up to an hour. */
const AGAIN_MS = MINUTE_MS;

/** What this process knows of a machine that answered it. */
interface Known {
  /** When it was looked at last, and how long it is left alone from then on; absent: never. */
  looked?: { readonly at: Instant; readonly waits: number };
}

/**
 * Asks a machine, and where one that was good before is not any more, the service for it by id: a service that asks the machine's
 * provider for that knows of a loss minutes before its own check. What it says is stored as that of any record, and nothing follows
 * from a machine's silence itself. One machine is looked at after a minute, two, four, up to an hour, whether it answers between or not:
 * one that flaps, or that only this host cannot reach, is not read without end.
 */
export function askingTheService(ask: Ask, keeper: Keeper): Ask {
  const known = new Map<string, Known>();
  let forgot = keeper.clock.now();
  const forgetEnded = async (): Promise<void> => {
    forgot = keeper.clock.now();
    const draft = await readDraft(keeper);
    for (const each of known.keys()) if (draft.deployments.ever(each)?.end !== null) known.delete(each);
  };
  const look = async (id: string, signal: AbortSignal): Promise<void> => {
    await lookIfPossible(keeper, id, signal);
    await forgetEnded();
    if (!known.has(id)) await keeper.ledger.decide(keeper.account, wakeAgent);
  };
  return async (asked, question, signal) => {
    const answer = await ask(asked, question, signal);
    const { id } = asked.row;
    const now = keeper.clock.now();
    const before = known.get(id);
    if (answer.kind === "good") {
      const isForgotten = before?.looked && elapsed(before.looked.at, now) >= HOUR_MS;
      if (!before || isForgotten) known.set(id, {});
      // Where all machines answer until they end, none is looked at.
      if (!before && elapsed(forgot, now) >= HOUR_MS) await forgetEnded().catch(() => undefined);
      return answer;
    }
    if (!before || !keeper.service.abilities.get) return answer;
    const { looked } = before;
    if (looked && elapsed(looked.at, now) < looked.waits) return answer;
    before.looked = { at: now, waits: looked ? Math.min(2 * looked.waits, HOUR_MS) : AGAIN_MS };
    // Errors are ignored: the loop meets the same service and reports.
    await look(id, signal).catch(() => undefined);
    return answer;
  };
}
