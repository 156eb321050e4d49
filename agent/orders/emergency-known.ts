import type { Context } from "../../launch/facts/context.ts";
import type { Draft } from "../../ledger/draft.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { combinationText } from "../../service/contract/contract.ts";
import type { EmergencyKnown } from "../json/answers.ts";
import { deploymentFacts } from "../status/deployment-facts.ts";
import { emergencyStop } from "../status/emergency-stop.ts";
import { elsewhere, wayOn } from "./stopping.ts";

/** What a stop of all would stop, or what is left of one, for whoever is about to say it. */
export function emergencyKnown(
  draft: Draft,
  ledger: Pick<Ledger, "id" | "location">,
  context: Context,
): EmergencyKnown {
  const { machines, launches, fleets, slots, doubtful } = emergencyStop(draft, context);
  const { email, list, tenure } = draft.account;
  return {
    account: email,
    ledger: ledger.location,
    list: list?.wall ?? null,
    machines: machines.map((row) => deploymentFacts(draft, row)),
    launches: launches.map((open) => ({ place: combinationText(open), detail: open.detail })),
    fleets: fleets.map(({ name }) => name),
    slots: slots.map(({ name }) => name),
    drained: [...draft.fleets.values()].flatMap(({ name, removed, drained }) =>
      !removed && drained?.by === "operator" ? name : [],
    ),
    doubtful: doubtful.map((row) => deploymentFacts(draft, row)),
    wayOn: doubtful.length > 0 ? `${elsewhere(doubtful, ledger)}${wayOn(draft, "ID")}` : null,
    mayBeOurs:
      doubtful.length > 0 && (tenure === "exclusive" || doubtful.some(({ claim }) => claim !== null)),
  };
}
