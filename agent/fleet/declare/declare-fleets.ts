import { contextOf, type Keeper } from "../../../launch/keeper.ts";
import { type Declared, type DeclaredChanges, declareAll } from "./declare-all.ts";
import type { FleetDeclaration } from "./fleets.ts";

/**
 * Stores what this source asks for, and removes the fleets that it named before and names no more. `read` is
 * called inside the transaction: who commits last has read last, so a process that stood still cannot bring
 * an older version back. If it returns undefined, nothing changes, and so does this.
 */
export async function declareFleets(
  keeper: Keeper,
  source: string,
  read: () => readonly FleetDeclaration[] | undefined,
  more: Omit<Declared, "source" | "fleets"> = {},
): Promise<DeclaredChanges | undefined> {
  return keeper.ledger.decide(keeper.account, (draft) => {
    const fleets = read();
    return fleets && declareAll(draft, { ...more, source, fleets }, contextOf(keeper));
  });
}
