import { sentence } from "../../../launch/failure-advice.ts";
import type { Keeper } from "../../../launch/keeper.ts";
import { fleetOwner, ownerParts } from "../../../ledger/owner.ts";
import { readDraft } from "../../../ledger/read-draft.ts";
import type { FleetPlan } from "../../planning/fleet-plan.ts";
import { calledName } from "../../status/owner-names.ts";
import { howTold } from "../how-told.ts";
import type { Log } from "./entry.ts";
import { newOnes } from "./repetition.ts";

/** At most so many events are written of one tick; all of them stand in the ledger. */
const MOST_EVENTS = 1000;

/**
 * Says what happened since the last call: one line an event, one event a decision. What was there when it was
 * made is no news.
 */
export async function eventTeller({ ledger, account }: Keeper, log: Log): Promise<() => Promise<void>> {
  let after = (await ledger.events(account, 1))[0]?.sequence ?? 0;
  return async () => {
    const news = await ledger.events(account, MOST_EVENTS, after);
    after = news[0]?.sequence ?? after;
    // Only slots are called otherwise than their owner says.
    const draft = news.some(({ owner }) => owner !== null && ownerParts(owner).kind === "slot")
      ? await readDraft({ ledger, account })
      : undefined;
    for (const { at, kind, owner, deployment, intent, text } of [...news].reverse()) {
      const called = draft && owner !== null ? { name: calledName(draft, owner) } : {};
      log({
        level: howTold(kind).level,
        kind,
        text,
        at,
        owner,
        ...called,
        deployment,
        intent: intent ?? null,
      });
    }
  };
}

/** Says what fleets wait for, when it changes and not at each tick: a countdown alone is no change. */
export function waitTeller(log: Log, now: () => number): (plans: readonly FleetPlan[]) => void {
  const fleets = new Map<string, (texts: readonly string[]) => readonly string[]>();
  return (plans) => {
    for (const { fleet, reasons } of plans) {
      const newOf = fleets.get(fleet) ?? newOnes(now);
      fleets.set(fleet, newOf);
      const about = { at: now(), owner: fleetOwner(fleet) };
      for (const text of newOf(reasons)) log({ level: "info", kind: "waits", text, ...about });
    }
  };
}

/** Says once that the service cannot be read and why, and once that it answers again. */
export function troubleTeller(
  log: Log,
  now: () => number,
): { failed(message: string, retryMs: number): void; answered(): void } {
  let failure: string | undefined;
  return {
    failed: (message, retryMs) => {
      if (message === failure) return;
      failure = message;
      const text = `${sentence(message)} Nothing is done meanwhile; tried again in ${Math.ceil(retryMs / 1000)} s, and then until it works.`;
      log({ level: "error", kind: "service", text, at: now() });
    },
    answered: () => {
      if (failure !== undefined)
        log({ level: "info", kind: "service", text: "what failed works again", at: now() });
      failure = undefined;
    },
  };
}
