import type { Draft } from "../../../ledger/draft.ts";
import type { FleetRow } from "../../../ledger/rows.ts";
import { USD } from "../../../service/contract/money.ts";
import { isStopped, serviceOf } from "../../fleet/phase/part.ts";
import { timeOfDay } from "../../fleet/text/text.ts";
import type { Lack } from "./choose-parts.ts";

type Parts = readonly { readonly draft: Draft; readonly fleet: FleetRow }[];

/** What keeps a fleet in several services from what it wants, and none of its accounts alone can see. For people. */
export function troublesOf(parts: Parts): readonly string[] {
  const kept = parts.filter(({ fleet }) => !isStopped(fleet));
  return [...currencyTexts(kept), ...kept.flatMap(({ draft, fleet }) => outageTexts(draft, fleet))];
}

/** Why nothing is launched of a fleet whose services count in several currencies. */
export function currencyTexts(parts: Parts): readonly string[] {
  const currencies = parts.map(({ draft }) => draft.account.currency ?? USD);
  if (new Set(currencies).size <= 1) return [];
  const counts = parts.map(({ fleet }, index) => `${serviceOf(fleet)} in ${currencies[index]}`);
  return [
    `nothing is launched: its services count in several currencies (${counts.join(", ")}), and no sum and no limit can be held over these. ` +
      "Keep services of one currency in the fleet, and make another fleet for the others",
  ];
}

function outageTexts({ account: { outage } }: Draft, fleet: FleetRow): readonly string[] {
  if (!outage?.told) return [];
  const service = serviceOf(fleet);
  const since = timeOfDay(outage.since.wall);
  const stays =
    "what it has there counts and bills, and what is free of its share goes to its other services";
  return [
    outage.told === "refused"
      ? `${service} refuses the key since ${since}: ${stays}. Give the agent a key that it takes (apiKey of the service in the fleet file)`
      : `${service} cannot be read since ${since}: ${stays}. Nothing has to be done; to leave it once it can be read: fleetkeeper services drain ${service}`,
  ];
}

const LACKS: Readonly<Record<Lack, string>> = {
  nothing: "none of its services has what is missing now",
  money:
    "what its limits leave for all services together pays for no machine that is missing: raise the limit, or allow cheaper ones",
  spread: "only services that have their part of the fleet already (spread) have what is missing",
  sizes: "no machines of its services add up to what is missing: allow overshoot, or ask for another number",
};

export function lackText(lack: Lack | undefined): readonly string[] {
  return lack === undefined ? [] : [LACKS[lack]];
}
