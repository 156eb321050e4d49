import type { Wish } from "../../agent/index.ts";
import { impossible, whyBlind } from "../../agent/index.ts";
import { whyUnstated } from "../../launch/index.ts";
import { readDraft, type Tenure } from "../../ledger/index.ts";
import { FleetkeeperError } from "../../service/errors.ts";
import { parseUsd } from "../../service/money.ts";
import type { Abilities, Offer } from "../../service/service.ts";
import type { Session } from "./environment.ts";

/** What the service and the ledger say, as far as they were asked. */
interface Known {
  readonly can: Abilities;
  readonly offers: readonly Offer[] | undefined;
  /** Whose account it is. Undefined: not known. */
  readonly tenure?: Tenure | undefined;
  readonly balance?: string | undefined;
}

/**
 * Why no wait would bring this fleet about; undefined: it may come about, or that cannot be known now. A list without
 * any offer says nothing: it may have some in a minute.
 */
export function whyNever(wish: Wish, { can, offers, tenure, balance }: Known): string | undefined {
  if (wish.paused || wish.gpus === 0) return undefined;
  const blind = whyBlind(wish, { can }) ?? (tenure && whyUnstated(tenure, can));
  if (blind !== undefined) return `${blind}.`;
  const usd = balance === undefined ? undefined : parseUsd(balance);
  const reasons = offers?.length === 0 ? [] : impossible(wish, offers, usd);
  if (reasons.length === 0) return undefined;
  const gpus = wish.gpus === 1 ? "its GPU" : `its ${wish.gpus} GPUs`;
  return `it can never have ${gpus}: ${reasons.join("; ")}. Change what it asks for; or set awaitReady: false, and the agent launches what can be had.`;
}

/** The same by what the service says now. If it cannot be asked, the agent says what is missing. */
export async function askWhyNever(session: Session, wish: Wish): Promise<string | undefined> {
  try {
    if (wish.budget.floor !== undefined) await session.balances.next();
    const { balance, tenure } = (await readDraft(session.keeper)).account;
    const can = session.keeper.service.abilities;
    return whyNever(wish, { can, offers: await session.offers(), tenure, balance: balance?.amount });
  } catch (error) {
    if (error instanceof FleetkeeperError) return undefined;
    throw error;
  }
}
