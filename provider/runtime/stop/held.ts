import { type Context, machineHoldText } from "../../../launch/index.ts";
import type { Draft, Owner } from "../../../ledger/index.ts";
import { FleetkeeperError } from "../../../service/contract/errors.ts";

/** Throws REFUSED if a person holds a machine that a deletion would stop: a program cannot know why. */
export function refuseHeld(draft: Draft, owner: Owner, { now }: Context): void {
  for (const row of draft.deployments.of("owner", owner)) {
    const held = row.end === null && row.stop === null ? machineHoldText(row, now) : undefined;
    if (held === undefined) continue;
    throw new FleetkeeperError(
      "REFUSED",
      `${row.id} is ${held}, and nothing of this resource was stopped. If it is to end: fleetkeeper release ${row.id}, and run this again.`,
    );
  }
}
