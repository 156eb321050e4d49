import type { Context } from "../../../launch/facts/context.ts";
import { type Hold, hold } from "../../../launch/facts/hold.ts";
import type { Draft } from "../../../ledger/draft.ts";
import type { FleetRow } from "../../../ledger/rows.ts";
import type { Combination } from "../../../service/contract/contract.ts";
import { gpusText } from "../../fleet/text/text.ts";
import type { Wish } from "../../fleet/wish/wish.ts";
import { type Count, count } from "../count/count.ts";
import { gpusOf } from "../count/machine-gpus.ts";
import { wishInForce } from "../count/wish-in-force.ts";
import { locality, type Spread } from "../mix/mix.ts";
import { localityOf } from "./options.ts";

/** Where a fleet may grow, given what it has. Running machines are never moved. */
export interface Growth {
  readonly spread: Spread;
  /** Where the fleet is and stays together: all that is added has to stand in this locality. */
  readonly home?: string;
  /** Why nothing can be added. */
  readonly hold?: Hold;
}

export function growthOf(draft: Draft, { placement }: Wish, counted: Count): Growth {
  if (placement === "any") return { spread: "any" };
  const gpus = gpusByLocality(draft, counted);
  if (placement !== "same") {
    const { mostPerLocation: most } = placement;
    return { spread: (where) => Math.max(0, most - (gpus.get(where) ?? 0)) };
  }
  const [home] = [...gpus].sort(([, one], [, other]) => other - one)[0] ?? [];
  if (home !== undefined) return { spread: "same", home };
  const [machine] = counted.machines;
  if (!machine) return { spread: "same" };
  return { spread: "same", hold: hold("unplaced", { id: machine.id }) };
}

/** Why this may not be added to a fleet. */
export function whyMisplaced(
  draft: Draft,
  fleet: FleetRow,
  launch: Combination & { readonly gpus: number },
  context: Context,
): Hold | undefined {
  const {
    spread,
    home,
    hold: unplaced,
  } = growthOf(draft, wishInForce(draft, fleet, context), count(draft, fleet, context));
  const where = locality(launch);
  if (home !== undefined && home !== where) return hold("apart", { home: localityText(home) });
  if (typeof spread !== "function" || launch.gpus <= spread(where)) return unplaced;
  return hold("crowded", { where: localityText(where), gpus: gpusText(launch.gpus) });
}

/** GPUs by locality of what runs, starts, or may have been launched. What is being stopped does not count. */
function gpusByLocality(draft: Draft, { machines, intents }: Count): ReadonlyMap<string, number> {
  const sums = new Map<string, number>();
  const add = (where: string | undefined, gpus: number): void => {
    if (where !== undefined) sums.set(where, (sums.get(where) ?? 0) + gpus);
  };
  for (const row of machines) add(localityOf(draft, row), gpusOf(draft, row));
  for (const intent of intents) add(locality(intent), intent.gpus);
  return sums;
}

/** `north/oslo`, for people. */
export function localityText(where: string): string {
  return (JSON.parse(where) as readonly string[]).join("/");
}
