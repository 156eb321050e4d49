import { makeToken, type NewToken, newTokenSecret } from "../../agent/orders/tokens.ts";
import { contextOf, type Keeper } from "../../launch/keeper.ts";
import { DAY_MS } from "../../ledger/instant.ts";
import type { VirtualClock } from "../../simulator/index.ts";

interface On {
  readonly keeper: Keeper;
  readonly clock: VirtualClock;
}

/** Makes a token of the account, for a day if nothing else is said. Gives its secret. */
export async function giveToken(
  { keeper, clock }: On,
  asked: Pick<NewToken, "name" | "may"> & Partial<NewToken>,
): Promise<string> {
  const secret = newTokenSecret();
  const made = { id: asked.name, lasts: DAY_MS, secret, ...asked };
  await keeper.ledger.decide(keeper.account, (draft) => makeToken(draft, made, contextOf(keeper)));
  // Who only reads is known a second later.
  await clock.advance(1_000);
  return secret;
}
