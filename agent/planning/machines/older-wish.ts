import { launchedWith } from "../../../launch/admit/parameters.ts";
import type { Context } from "../../../launch/facts/context.ts";
import { livingOf } from "../../../launch/facts/occupancy.ts";
import type { Draft } from "../../../ledger/draft.ts";
import { fleetOwner } from "../../../ledger/owner.ts";
import type { DeploymentRow, FleetRow, IntentRow } from "../../../ledger/rows.ts";
import { combinationKey } from "../../../service/contract/contract.ts";
import { createMemory } from "../../../service/same/memory.ts";
import { andMore } from "../../fleet/text/text.ts";
import { isModel, modelsOf, parseWish, type Wish } from "../../fleet/wish/wish.ts";
import type { PlanFacts } from "../../json/plan.ts";
import { isStopping } from "../count/machine-gpus.ts";

/*
 * Machines that their fleet would launch otherwise by now. What their launch sent decides, and no number of a declaration:
 * a wish that goes back makes nothing old. Prices are no part of it, as they move by themselves.
 */

/** A machine of an older wish, and the keys of the wish that it does not keep to. */
export interface Older {
  readonly row: DeploymentRow;
  readonly differs: readonly string[];
}

/** Those of a fleet's machines that nobody has asked to stop. */
export function olderOf(draft: Draft, fleet: FleetRow, { wire }: Context): readonly Older[] {
  const wish = parseWish(fleet.wish);
  return livingOf(draft, fleetOwner(fleet.name)).flatMap((row) => {
    if (isStopping(row)) return [];
    const differs = differencesOf(row, draft.intents.ever(row.intent ?? ""), wish, wire);
    return differs.length === 0 ? [] : [{ row, differs }];
  });
}

/** The machines of an older wish with what differs, for programs. */
export function olderFacts(draft: Draft, fleet: FleetRow, context: Context): PlanFacts["olderWish"] {
  return olderOf(draft, fleet, context).map(({ row: { id }, differs }) => ({ id, differs: [...differs] }));
}

function differencesOf(
  row: DeploymentRow,
  launched: IntentRow | undefined,
  wish: Wish,
  { abilities, profileHash }: Context["wire"],
): readonly string[] {
  const { offer, provider, location } = launched ?? row;
  const { candidates, select } = wish;
  // Whatever nobody knows is no difference: what was adopted, or launched by an older version. Another profile may have sent
  // other parameters of the same wish.
  const isOther = {
    parameters:
      launched?.profile === profileHash &&
      !alike.of(wish, [abilities], () => launchedWith(wish.parameters, abilities))(launched),
    candidates:
      candidates &&
      offer !== null &&
      provider !== null &&
      location !== null &&
      !candidates.some((each) => combinationKey(each) === combinationKey({ offer, provider, location })),
    "select.gpuModel":
      select?.gpuModel !== undefined &&
      launched?.model !== undefined &&
      !modelsOf(select.gpuModel).some((model) => isModel(launched.model, model)),
    "select.providers": select?.providers && provider !== null && !select.providers.includes(provider),
    "select.locations": select?.locations && location !== null && !select.locations.includes(location),
  };
  return Object.entries(isOther).flatMap(([key, is]) => (is ? [key] : []));
}

const alike = createMemory<Wish, (intent: IntentRow) => boolean>();

/** How many there are, which, what differs, and what follows. */
export function olderText(draft: Draft, fleet: FleetRow, context: Context): readonly string[] {
  const older = olderOf(draft, fleet, context);
  const { updateHeld, name } = fleet;
  const held =
    updateHeld &&
    `nothing is replaced until another declaration or fleetkeeper resume ${name}: ${updateHeld.why}`;
  if (older.length === 0) return held === undefined ? [] : [held];
  const { update } = parseWish(fleet.wish);
  const differs = [...new Set(older.flatMap((each) => each.differs))].join(", ");
  const are = older.length === 1 ? "1 machine is" : `${older.length} machines are`;
  const what = `${are} of an older wish (${andMore(older.map(({ row }) => row.id))}; other ${differs})`;
  if (held !== undefined) return [`${what}: ${held}`];
  if (!update)
    return [`${what}: only what is launched from now on is of the new one, as the fleet has no update`];
  return [`${what}: replaced, ${update.most === 1 ? "one at a time" : `at most ${update.most} at a time`}`];
}
