import type { Context } from "../../../launch/facts/context.ts";
import { type HoldKind, holdText } from "../../../launch/facts/hold.ts";
import { contextOf, type Keeper } from "../../../launch/keeper.ts";
import type { Draft } from "../../../ledger/draft.ts";
import type { EventKind } from "../../../ledger/event-kind.ts";
import { HOUR_MS } from "../../../ledger/instant.ts";
import { fleetOwner } from "../../../ledger/owner.ts";
import type { FleetRow, HoldRow } from "../../../ledger/rows.ts";
import { isAgentAlive } from "../../fleet/phase/agent-alive.ts";
import { fleetPhase } from "../../fleet/phase/fleet-phase.ts";
import { serviceOf } from "../../fleet/phase/part.ts";
import { partsByWhole, type SeenPart } from "../../fleet/phase/whole-parts.ts";
import { isRecent } from "../../planning/parts/offered.ts";
import { readAll, wholesIn } from "../../status/account-status.ts";

/** The holds that people are alarmed of, where the newest tick stored them. */
const ALARMED: ReadonlyMap<string, EventKind> = new Map<HoldKind, EventKind>([
  ["tooMany", "held"],
  ["unsent", "held"],
  ["failing", "held"],
  ["unanswered", "held"],
  ["refusedAll", "held"],
  ["churned", "churned"],
]);

/** A state that comes back within this time is not told again, unless its fleet was resumed meanwhile. */
export const FLAPPING_MS = HOUR_MS;

/** A hold that people are told of. */
interface AlarmedHold {
  readonly kind: EventKind;
  readonly hold: HoldRow;
}

/** What holds the launches of a fleet over several services, for people. */
export interface HeldWhole {
  readonly name: string;
  readonly kind: EventKind;
  readonly text: string;
}

export function alarmedHolds(draft: Draft, fleet: FleetRow, context: Context): readonly AlarmedHold[] {
  if (fleetPhase(draft, fleet, context).kind !== "kept") return [];
  return (fleet.holds ?? []).flatMap((hold) => {
    const kind = ALARMED.get(hold.kind);
    return kind === undefined ? [] : [{ kind, hold }];
  });
}

/**
 * Of fleets over several services: what holds a service's launches is told where the whole lacks GPUs and no other service has
 * any for it. Where one has, it launches them, or whoever chooses among the parts says why not. It is told once, by the agent of
 * the first part that is held and has an agent, and by none where another one has told it of late. As long as no part of this
 * account is held, no other account is read. `own`: its rows.
 */
export async function heldWholes(keeper: Keeper, own: Draft): Promise<readonly HeldWhole[]> {
  const context = contextOf(keeper);
  const mine = [...own.fleets.values()].filter(
    (fleet) => fleet.part && alarmedHolds(own, fleet, context).length > 0,
  );
  if (mine.length === 0) return [];
  const read = await readAll(keeper.ledger);
  const lacking = new Set(
    wholesIn(read, context)
      .filter(({ desiredGpus, runningGpus, startingGpus }) => runningGpus + startingGpus < desiredGpus)
      .map(({ name }) => name),
  );
  const parts = partsByWhole(read.drafts);
  return [...new Set(mine.flatMap(({ part }) => part?.of ?? []))]
    .filter((name) => lacking.has(name))
    .flatMap((name) =>
      heldOf(parts.get(name) ?? [], keeper.account, context, (each) =>
        isAgentAlive(each.draft, context, read.leases?.get(each.account)),
      ),
    );
}

function heldOf(
  parts: readonly SeenPart[],
  account: string,
  context: Context,
  isKept: (part: SeenPart) => boolean,
): readonly HeldWhole[] {
  const held = parts
    .filter((each) => !each.part.leaving && !each.draft.account.outage && isKept(each))
    .map((each) => ({ each, holds: alarmedHolds(each.draft, each.fleet, context) }));
  if (held.some(({ each, holds }) => holds.length === 0 && !hasNothing(each, context))) return [];
  const kinds = [...new Set(held.flatMap(({ holds }) => holds.map(({ kind }) => kind)))];
  return kinds.flatMap((kind) => {
    const those = held.flatMap(({ each, holds }) =>
      holds.filter((alarmed) => alarmed.kind === kind).map(({ hold }) => ({ each, hold })),
    );
    const [teller] = those;
    if (teller?.each.account !== account) return [];
    const key = `${kind} ${fleetOwner(teller.each.part.of)}`;
    const isTold = parts.some(
      ({ account: other, draft }) =>
        other !== account && context.now.wall - (draft.account.alarms?.[key] ?? 0) < FLAPPING_MS,
    );
    if (isTold) return [];
    const text = those.map(({ each, hold }) => `${serviceOf(each.fleet)}: ${holdText(hold)}`).join("; ");
    return [{ name: teller.each.part.of, kind, text }];
  });
}

/** It has said so lately. */
function hasNothing({ part: { offered } }: SeenPart, context: Context): boolean {
  return offered !== undefined && offered.costs.length === 0 && isRecent(offered, context);
}
