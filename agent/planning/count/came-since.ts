import type { Context } from "../../../launch/facts/context.ts";
import { livingOf, unresolvedOf } from "../../../launch/facts/occupancy.ts";
import { hourOf } from "../../../launch/money/price.ts";
import type { Draft } from "../../../ledger/draft.ts";
import { isBefore } from "../../../ledger/instant.ts";
import { fleetOwner } from "../../../ledger/owner.ts";
import type { DeploymentRow, FleetRow, ImprovingRow } from "../../../ledger/rows.ts";
import { type Usd, ZERO_USD } from "../../../service/contract/money.ts";

/** What has come since the move began. */
export function cameSince(
  draft: Draft,
  { name }: FleetRow,
  { begun }: Pick<ImprovingRow, "begun">,
  { now }: Context,
): Came {
  const owner = fleetOwner(name);
  const machines = livingOf(draft, owner).filter((row) => {
    const intent = row.intent === null ? undefined : draft.intents.ever(row.intent);
    return row.stop === null && intent !== undefined && !isBefore(intent.stamped, begun, now);
  });
  const unknown = unresolvedOf(draft, owner);
  const prices = [...machines, ...unknown].map((each) => hourOf(draft, each));
  return {
    machines,
    unknown: unknown.reduce((sum, { gpus }) => sum + gpus, 0),
    price: prices.reduce<Usd | undefined>((sum, each) => each && sum?.plus(each), ZERO_USD),
  };
}

interface Came {
  readonly machines: readonly DeploymentRow[];
  /** GPUs that launches without an outcome may have made. */
  readonly unknown: number;
  /** USD an hour of all of these; undefined: of one nobody knows it. */
  readonly price: Usd | undefined;
}
