import type { FleetDeclaration, FleetPlan, Wish } from "../../agent/index.ts";
import { declareFleet, fleetPhase, impossible, plan, renameFleet, whyBlind } from "../../agent/index.ts";
import { billsOf, contextOf, countedBy, whyUnstated } from "../../launch/index.ts";
import type { FleetRow } from "../../ledger/index.ts";
import { fleetOwner, scratchDraft } from "../../ledger/index.ts";
import { FleetkeeperError } from "../../service/errors.ts";
import { parseUsd } from "../../service/money.ts";
import type { Offer } from "../../service/service.ts";
import type { Session } from "./environment.ts";
import type { Progress } from "./progress.ts";

interface Foreseen {
  /** What the ledger says of the fleet now; undefined: it is new. */
  readonly stored: FleetRow | undefined;
  /** That a new life begins, where its name was paid for before. */
  readonly life: string | undefined;
  /** Why no wait would bring the fleet about; undefined: it may come about, or that cannot be known now. */
  readonly never: string | undefined;
  /** What would be launched now, whatever runs already. */
  readonly plan: FleetPlan | undefined;
}

/** What follows if this is declared, tried on a copy of the rows. Throws CONFIG if another source has the name. */
export async function foresee(
  session: Session,
  declared: FleetDeclaration,
  tell: Progress,
): Promise<Foreseen> {
  const { keeper } = session;
  const { name, source, wish } = declared;
  const ask = <T>(work: () => Promise<T>): Promise<T | undefined> =>
    work().catch((error: unknown) => {
      if (!(error instanceof FleetkeeperError)) throw error;
      tell(`what can be had cannot be asked just now: ${error.message}`);
      return undefined;
    });
  if (wish.budget.floor !== undefined) await ask(() => session.balances.next());
  const offers = await ask(() => session.offers());
  const draft = await scratchDraft(keeper);
  const context = contextOf(keeper);
  const can = keeper.service.abilities;
  const stored = [...draft.fleets.values()].find((row) => row.source === source && !row.removed);
  renameFleet(draft, { name, previousName: stored?.name, source }, context);
  const life = declareFleet(draft, declared, context);
  const fleet = draft.fleets.get(name);
  if (!fleet) return { stored, life, never: undefined, plan: undefined };
  const phase = fleetPhase(draft, fleet, context);
  if (stored === undefined && phase.kind === "drained") {
    const change = phase.by === "total" ? "Raise budget.total" : "Change until";
    const never = `0 of ${wish.gpus} GPUs wanted: ${phase.why}. ${change}, and it launches`;
    return { stored, life, never, plan: undefined };
  }
  const { balance, tenure } = draft.account;
  const spent = countedBy(
    draft,
    fleetOwner(name),
    billsOf(draft, fleetOwner(name), context),
    wish.budget.totalOf,
  );
  const total = stored === undefined ? parseUsd(wish.budget.total ?? "")?.minus(spent) : undefined;
  const left = total === undefined ? wish : { ...wish, budget: { ...wish.budget, total: total.toFixed() } };
  const never =
    wish.paused || wish.gpus === 0
      ? undefined
      : (whyBlind(wish, { can }) ?? whyUnstated(tenure, can) ?? whyImpossible(left, offers, balance?.amount));
  draft.putFleet({ ...fleet, born: true });
  const planned = plan(draft, { can, offers }, context).find((each) => each.fleet === name);
  return { stored, life, never, plan: planned };
}

/** A list without any offer says nothing: it may have some in a minute. */
function whyImpossible(wish: Wish, offers: readonly Offer[] | undefined, balance: string | undefined) {
  if (offers?.length === 0) return undefined;
  const reasons = impossible(wish, offers, balance === undefined ? undefined : parseUsd(balance));
  if (reasons.length === 0) return undefined;
  return (
    `it can never have ${wish.gpus === 1 ? "its GPU" : `its ${wish.gpus} GPUs`}: ${reasons.join("; ")}. Change what it asks for; ` +
    "or set awaitReady: false, and the agent launches what can be had"
  );
}
