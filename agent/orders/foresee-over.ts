import type { Draft } from "../../ledger/draft.ts";
import type { ForeseenOver } from "../json/agent.ts";
import { planOfServices, readServices, type ServiceToRead } from "../reconcile/preview-services.ts";
import { decide, type Refused } from "./carry-out.ts";
import type { Accounts } from "./ledger-order.ts";
import { type GivenOver, saidIfTried, tryOver } from "./over-parts.ts";

/** Tries an order about all parts on rows that are thrown away, and plans all services with it. Each is read as by a plan. */
export async function foreseeOver(
  { key: _none, ...given }: GivenOver,
  accounts: Accounts,
  services: readonly ServiceToRead[],
  signal: AbortSignal,
): Promise<ForeseenOver | Refused> {
  const tried = await tryOver(given, accounts);
  if ("refused" in tried) return tried;
  const context = accounts.context(true);
  const ordered = (account: string, draft: Draft): void => {
    for (const part of tried.parts) if (part.account === account) decide(draft, part.given, context);
  };
  const looked = await readServices(services, signal, ordered);
  const plan = await planOfServices(looked, accounts.ledger, context, ordered);
  return { answer: { parts: await saidIfTried(tried, accounts) }, ...plan };
}
