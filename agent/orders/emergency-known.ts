import { contextOf, type Keeper } from "../../launch/keeper.ts";
import { readDraft } from "../../ledger/read-draft.ts";
import { combinationText } from "../../service/contract/contract.ts";
import type { EmergencyKnown } from "../json/answers.ts";
import { deploymentFacts } from "../status/deployment-facts.ts";
import { emergencyStop } from "../status/emergency-stop.ts";
import { elsewhere, wayOn } from "./stopping.ts";

/** What a stop of all would stop, or what is left of one, for whoever is about to say it. */
export async function emergencyKnown(keeper: Keeper): Promise<EmergencyKnown> {
  const { ledger, service } = keeper;
  const draft = await readDraft(keeper);
  const { machines, launches, fleets, slots, doubtful } = emergencyStop(draft, contextOf(keeper));
  const { email, list, tenure } = draft.account;
  return {
    account: email,
    ledger: ledger.location,
    list: list?.wall ?? null,
    canStop: service.abilities.stop,
    machines: machines.map((row) => deploymentFacts(draft, row)),
    launches: launches.map((open) => ({ place: combinationText(open), detail: open.detail })),
    fleets: fleets.map(({ name }) => name),
    moves: fleets.flatMap(({ part }) => (part && !part.leaving ? part.of : [])),
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
