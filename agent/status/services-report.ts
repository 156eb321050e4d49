import type { Context } from "../../launch/facts/context.ts";
import { livingOf, unresolvedOf } from "../../launch/facts/occupancy.ts";
import type { Draft } from "../../ledger/draft.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { fleetOwner } from "../../ledger/owner.ts";
import type { FleetRow, PartRow } from "../../ledger/rows.ts";
import { isOver } from "../fleet/declare/fleets.ts";
import { isAgentAlive } from "../fleet/phase/agent-alive.ts";
import { fleetPhase } from "../fleet/phase/fleet-phase.ts";
import { portionOf, serviceOf } from "../fleet/phase/part.ts";
import { partsByWhole, type SeenPart } from "../fleet/phase/whole-parts.ts";
import { parseWish } from "../fleet/wish/wish.ts";
import type { ServiceFacts, ServiceState, ServicesFacts } from "../json/services.ts";
import { count } from "../planning/count/count.ts";
import { reasonsOf } from "../planning/told/fleet-plan.ts";
import { readAll } from "./account-status.ts";
import { outageOf } from "./outage.ts";

/** All parts of all fleets that several services keep, those that are over left out. The first part of a fleet comes first. */
export async function serviceParts(ledger: Ledger): Promise<readonly SeenPart[]> {
  const { drafts } = await readAll(ledger);
  return [...partsByWhole(drafts)]
    .sort(([one], [other]) => one.localeCompare(other))
    .flatMap(([, parts]) => parts)
    .filter(({ draft, fleet }) => !isOver(draft, fleet));
}

/** How each service of each fleet stands, by the ledger alone. */
export function servicesReport(parts: readonly SeenPart[], context: Context): readonly ServicesFacts[] {
  return [...Map.groupBy(parts, ({ part }) => part.of)].map(([fleet, its]) => ({
    fleet,
    gpus: parseWish(its[0]?.part.whole).gpus,
    services: its.map((part) => factsOf(part, context)),
  }));
}

function factsOf({ draft, fleet, part }: SeenPart, context: Context): ServiceFacts {
  const { running, there, stopping, intents } = count(draft, fleet, context);
  return {
    service: serviceOf(fleet),
    account: draft.account.email,
    part: fleet.name,
    state: stateOf(draft, fleet, part, context),
    portion: Math.max(0, portionOf(fleet, part).gpus),
    ahead: part.ahead ?? 0,
    ...{ running, starting: there - running, stopping },
    unknown: intents.reduce((sum, { gpus }) => sum + gpus, 0),
    why: whyOf(draft, fleet, context),
  };
}

function stateOf(draft: Draft, fleet: FleetRow, part: PartRow, context: Context): ServiceState {
  if (fleet.removed || part.leaving === "declaration") return "out";
  const stands = fleetPhase(draft, fleet, context);
  if (part.leaving === "operator" || stands.kind === "drained") {
    const owner = fleetOwner(fleet.name);
    return livingOf(draft, owner).length + unresolvedOf(draft, owner).length > 0 ? "draining" : "drained";
  }
  if (stands.kind === "paused") return "paused";
  return outageOf(draft.account)?.kind ?? "taking";
}

function whyOf(draft: Draft, fleet: FleetRow, context: Context): readonly string[] {
  const outage = outageOf(draft.account);
  const stands = fleetPhase(draft, fleet, context);
  return [
    ...(outage ? [outage.reason] : []),
    ...(isAgentAlive(draft, context) ? [] : ["no agent keeps its account now"]),
    ...(stands.kind === "paused" ? [stands.why] : []),
    ...reasonsOf(fleet.holds ?? [], fleet.reasons, context.now).filter((text) => text !== outage?.reason),
  ];
}
