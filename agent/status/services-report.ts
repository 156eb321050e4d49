import type { Context } from "../../launch/facts/context.ts";
import { livingOf, unresolvedOf } from "../../launch/facts/occupancy.ts";
import type { Draft } from "../../ledger/draft.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { fleetOwner } from "../../ledger/owner.ts";
import { readDraft } from "../../ledger/read-draft.ts";
import type { FleetRow, PartRow } from "../../ledger/rows.ts";
import { agentAlive } from "../fleet/agent-alive.ts";
import { fleetPhase } from "../fleet/fleet-phase.ts";
import { isOver } from "../fleet/fleets.ts";
import { portionOf, serviceOf } from "../fleet/part.ts";
import { parseWish } from "../fleet/wish.ts";
import type { ServiceFacts, ServiceState, ServicesFacts } from "../json/services.ts";
import { count } from "../planning/count.ts";
import { reasonsOf } from "../planning/fleet-plan.ts";
import { outageOf } from "./outage.ts";

/** A part of a fleet in several services, and all rows of its account. */
export interface ServicePart {
  readonly account: string;
  readonly draft: Draft;
  readonly fleet: FleetRow;
  readonly part: PartRow;
}

/** All parts of all fleets that several services keep, those that are over left out. The first part of a fleet comes first. */
export async function serviceParts(ledger: Ledger): Promise<readonly ServicePart[]> {
  const parts: ServicePart[] = [];
  for (const { key } of await ledger.accounts()) {
    const draft = await readDraft({ ledger, account: key });
    for (const fleet of draft.fleets.values())
      if (fleet.part && !isOver(draft, fleet)) parts.push({ account: key, draft, fleet, part: fleet.part });
  }
  const isFirst = ({ fleet, part }: ServicePart): boolean => fleet.name === part.of;
  return parts.sort(
    (one, other) =>
      one.part.of.localeCompare(other.part.of) ||
      Number(isFirst(other)) - Number(isFirst(one)) ||
      one.fleet.name.localeCompare(other.fleet.name),
  );
}

/** How each service of each fleet stands, by the ledger alone. */
export function servicesReport(parts: readonly ServicePart[], context: Context): readonly ServicesFacts[] {
  return [...Map.groupBy(parts, ({ part }) => part.of)].map(([fleet, its]) => ({
    fleet,
    gpus: parseWish(its[0]?.part.whole).gpus,
    services: its.map((part) => factsOf(part, context)),
  }));
}

function factsOf({ draft, fleet, part }: ServicePart, context: Context): ServiceFacts {
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
    ...(agentAlive(draft, context) ? [] : ["no agent keeps its account now"]),
    ...(stands.kind === "paused" ? [stands.why] : []),
    ...reasonsOf(fleet.holds ?? [], fleet.reasons, context.now).filter((text) => text !== outage?.reason),
  ];
}
