import { sentence } from "../../../launch/ends/failure-advice.ts";
import type { Keeper } from "../../../launch/keeper.ts";
import { fleetOwner, ownerParts } from "../../../ledger/owner.ts";
import { readDraft } from "../../../ledger/read-draft.ts";
import type { FleetPlan } from "../../planning/told/fleet-plan.ts";
import { calledName } from "../../status/owner-names.ts";
import type { Log } from "./entry.ts";
import { howTold } from "./how-told.ts";
import { newOnes } from "./repetition.ts";

/** The most events that are logged after one tick. The ledger has all. */
const MOST_EVENTS = 1000;

/** Logs what happened since the last call, one line an event. Events from before are not logged. */
export async function eventTeller({ ledger, account }: Keeper, log: Log): Promise<() => Promise<void>> {
  let after = (await ledger.events(account, 1))[0]?.sequence ?? 0;
  return async () => {
    const news = await ledger.events(account, MOST_EVENTS, after);
    after = news[0]?.sequence ?? after;
    // Only slots have another name for people than in their owner.
    const draft = news.some(({ owner }) => owner !== null && ownerParts(owner).kind === "slot")
      ? await readDraft({ ledger, account })
      : undefined;
    for (const { at, kind, owner, deployment, intent, text } of [...news].reverse()) {
      const called = draft && owner !== null ? { name: calledName(draft, owner) } : {};
      const about = { owner, ...called, deployment, intent: intent ?? null };
      log({ level: howTold(kind).level, kind, text, at, ...about });
    }
  };
}

/** Logs what fleets wait for when it changes, not at each tick. A countdown alone is no change. */
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

/** Logs once that the service cannot be read, and why; and once that it answers again. */
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
