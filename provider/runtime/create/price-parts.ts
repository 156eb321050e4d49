import { serviceOf } from "../../../agent/fleet/phase/part.ts";
import { partsByWhole } from "../../../agent/fleet/phase/whole-parts.ts";
import { gpusText } from "../../../agent/fleet/text/text.ts";
import { type FleetPlan, type PlanningInputs, plan } from "../../../agent/index.ts";
import { foreseeAdoption } from "../../../agent/planning/machines/initial-adoption.ts";
import { isRecentMoment } from "../../../agent/planning/parts/offered.ts";
import { nobodysOf, type Takes, takesOf } from "../../../agent/planning/told/takes.ts";
import { choiceAmong } from "../../../agent/reconcile/move-portions.ts";
import { type KnownAccount, previewWhole } from "../../../agent/reconcile/preview-parts.ts";
import { wholesOf } from "../../../agent/status/whole-status.ts";
import { type Context, contextOf } from "../../../launch/index.ts";
import type { AccountRow, Draft, Market } from "../../../ledger/index.ts";
import { atOnceText } from "../../../service/contract/billing.ts";
import { combinationText } from "../../../service/contract/contract.ts";
import { amountText, type Usd } from "../../../service/contract/money.ts";
import { durationOf } from "../../../service/text/duration.ts";
import type { Session } from "../session/environment.ts";

type Launches = FleetPlan["launches"];

/** What each account's service offers, by its own answer or by what its agent left in the ledger. */
interface Seen {
  readonly looked: ReadonlyMap<string, KnownAccount>;
  /** When that was read, wall time in ms. Absent: just now. */
  readonly read: ReadonlyMap<string, number>;
}

/** A fleet as if it were declared. */
interface Foreseen {
  readonly name: string;
  /** The rows of its accounts, to try on. */
  readonly drafts: ReadonlyMap<string, Draft>;
}

export interface Priced {
  readonly texts: readonly string[];
  /** What is taken without a launch. */
  readonly takes: Takes;
  readonly launches: Launches;
}

/**
 * Where all services of a fleet together would launch what it lacks, and at which price, for people. `own`: what the key of
 * this stack was shown.
 */
export async function priceTexts(
  { keeper }: Pick<Session, "keeper">,
  foreseen: Foreseen,
  own: PlanningInputs,
): Promise<Priced> {
  const context = contextOf(keeper);
  const markets = new Map<string, Market>();
  for (const account of foreseen.drafts.keys()) {
    const market = await keeper.ledger.market(account).catch(() => undefined);
    if (market) markets.set(account, market);
  }
  const seen = seenIn(foreseen.drafts, markets, { account: keeper.account, inputs: own }, context);
  return textsOf(foreseen, seen, context);
}

function seenIn(
  drafts: ReadonlyMap<string, Draft>,
  markets: ReadonlyMap<string, Market>,
  own: { readonly account: string; readonly inputs: PlanningInputs },
  context: Context,
): Seen {
  const [looked, read] = [new Map<string, KnownAccount>(), new Map<string, number>()];
  for (const [account, draft] of drafts) {
    const market = markets.get(account);
    if (account === own.account && own.inputs.offers) {
      looked.set(account, { draft, inputs: own.inputs, believed: true, context });
    } else if (market) {
      const wire = { ...context.wire, abilities: market.can };
      const profileHash = draft.account.profile ?? wire.profileHash;
      const inputs = { can: market.can, offers: market.offers };
      looked.set(account, {
        draft,
        inputs,
        believed: true,
        context: { ...context, wire: { ...wire, profileHash } },
      });
      if (!isRecentMoment(market.until, context)) read.set(account, market.until);
    }
  }
  return { looked, read };
}

function textsOf({ name, drafts }: Foreseen, { looked, read }: Seen, context: Context): Priced {
  const nobodys = new Map([...drafts].map(([account, draft]) => [account, nobodysOf(draft)]));
  takeIn(looked);
  for (const draft of drafts.values())
    for (const fleet of draft.fleets.values()) draft.putFleet({ ...fleet, born: true });
  previewWhole(name, drafts, looked);
  // Another part may lack GPUs now, and take what runs there.
  takeIn(looked);
  const parts = partsByWhole(drafts).get(name) ?? [];
  const short = parts[0] ? choiceAmong(parts[0], parts, context).short : 0;
  const takes = parts.flatMap(({ account, draft, fleet }) =>
    takesOf(draft, fleet.name, nobodys.get(account) ?? new Set(), context),
  );
  const given = new Map(
    parts.map(({ account, fleet }) => [fleet.name, launchesOf(fleet.name, looked.get(account))]),
  );
  const launches = [...given.values()].flat();
  const gpus = gpusIn(launches);
  const unread = parts.filter(({ account, part }) => !looked.has(account) && !part.leaving);
  const [whole] = wholesOf(drafts, (account) => looked.has(account), context).filter(
    (each) => each.name === name,
  );
  const services = parts.flatMap(({ account, draft, fleet }): readonly string[] => {
    const mine = given.get(fleet.name) ?? [];
    const at = read.get(account);
    const old =
      at === undefined ? "" : `; by what its agent saw ${durationOf(Math.max(0, context.now.wall - at))} ago`;
    if (mine.length > 0)
      return [
        `${serviceOf(fleet)} gives ${gpusText(gpusIn(mine))}, ${launchesText(mine, draft.account)}${old}`,
      ];
    const { state, why = null } = whole?.services.find((each) => each.fleet === fleet.name) ?? {};
    return !looked.has(account) || why === null || state === "complete"
      ? []
      : [`${serviceOf(fleet)} gives nothing: ${why}${old}`];
  });
  if (short <= 0) return { texts: [], takes, launches };
  const currency = parts[0]?.draft.account.currency;
  const sum = amountText(sumOf(launches), currency);
  const texts = [
    gpus === 0
      ? `nothing is known that could be launched now of the ${gpusText(short)} that it lacks`
      : `${gpus < short ? `${gpus} of the ${gpusText(short)}` : `the ${gpusText(short)}`} that it lacks would cost ${sum} an hour over all services`,
    ...services,
    ...unread.map(
      ({ fleet }) =>
        `${serviceOf(fleet)} is not in this price: no agent has left its offers in the ledger yet`,
    ),
  ];
  return { texts, takes, launches };
}

function takeIn(looked: Seen["looked"]): void {
  for (const { draft, inputs, context } of looked.values()) foreseeAdoption(draft, inputs.offers, context);
}

function launchesOf(fleet: string, looked: KnownAccount | undefined): Launches {
  if (!looked) return [];
  const { draft, inputs, context } = looked;
  return plan(draft, inputs, context).find((each) => each.fleet === fleet)?.launches ?? [];
}

/** `2 x h100-8 at north in oslo (16.00 USD an hour each): 32.00 USD an hour together; a launch reserves the first hour`. */
export function launchesText(
  launches: Launches,
  { currency, billing }: Pick<AccountRow, "currency" | "billing">,
): string {
  const kinds = [...Map.groupBy(launches, ({ option }) => combinationText(option))].map(
    ([what, of]) =>
      `${of.length} x ${what} (${amountText(of[0]?.option.pricePerHour, currency)} an hour each)`,
  );
  return `${kinds.join(" and ")}: ${amountText(sumOf(launches), currency)} an hour together; ${atOnceText(billing)}`;
}

function gpusIn(launches: Launches): number {
  return launches.reduce((sum, { option }) => sum + option.gpus, 0);
}

/** Null: a price is not known. */
function sumOf(launches: Launches): Usd | null {
  const prices = launches.map(({ option }) => option.pricePerHour);
  return prices.length > 0 && prices.every((price) => price !== undefined)
    ? prices.reduce((one, other) => one.plus(other))
    : null;
}
