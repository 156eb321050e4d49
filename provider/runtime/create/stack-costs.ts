import { readParts } from "../../../agent/fleet/phase/whole-parts.ts";
import { type Bound, boundBy, boundOf } from "../../../agent/planning/told/bound.ts";
import {
  boundText,
  type Costs,
  costText,
  ownerCosts,
  sumOfBounds,
  sumOfCosts,
} from "../../../agent/planning/told/costs.ts";
import { type Context, contextOf, livingOf, unresolvedOf } from "../../../launch/index.ts";
import { hourOf } from "../../../launch/money/price.ts";
import { stopLead } from "../../../launch/money/spend.ts";
import { type Draft, fleetOwner, readDraft, slotOwner } from "../../../ledger/index.ts";
import type { Usd } from "../../../service/contract/money.ts";
import type { Environment, Session } from "../session/environment.ts";
import type { Progress } from "../session/progress.ts";

/** What one resource costs once this is carried out, and the most that it can. */
export interface Costed {
  readonly costs: Costs;
  readonly most: Bound;
}

/** What was told in one run of an engine, by kind and label. All sessions of a run share their lists, in an agent, too. */
const told = new WeakMap<Session["lists"], Map<string, Costed>>();

/**
 * Tells what a resource costs, and what its stack adds up to: with what was previewed before, and with what the ledger has of
 * the rest. So the last one that tells has all of it, in whatever order an engine asks.
 */
export async function tellCosts(
  env: Pick<Environment, "say">,
  session: Session,
  of: { readonly kind: "fleet" | "slot"; readonly label: unknown },
  own: Costed,
  tell: Progress,
): Promise<void> {
  const { currency } = session.keeper.service.abilities;
  const costs = costText(own.costs, currency);
  if (costs !== undefined) tell(`costs ${costs}`);
  tell(boundText(own.most, currency));
  const all = told.get(session.lists) ?? new Map<string, Costed>();
  told.set(session.lists, all.set(`${of.kind}:${of.label}`, own));
  const stack = String(of.label).split("/").slice(0, 2).join("/");
  const rest = await storedIn(session, `${stack}/`);
  const every = [...new Map([...rest, ...all]).values()];
  if (every.length < 2) return;
  const sum = costText(sumOfCosts(every.map((each) => each.costs)), currency) ?? "nothing";
  const most = boundText(sumOfBounds(every.map((each) => each.most)), currency);
  env.say(`stack ${stack}: ${every.length} resources cost ${sum}; ${most}`);
}

/** What the ledger has of a stack, whose labels begin so. */
async function storedIn({ keeper }: Session, stack: string): Promise<ReadonlyMap<string, Costed>> {
  const [draft, context] = [await readDraft(keeper), contextOf(keeper)];
  const isSeveral = [...draft.fleets.values()].some(({ part }) => part);
  const parts = isSeveral ? await readParts(keeper.ledger) : undefined;
  const fleets = [...draft.fleets.values()].flatMap((row) => {
    const label = row.source.replace(/^stack:|#.*$/g, "");
    if (row.removed || !row.source.startsWith(`stack:${stack}`)) return [];
    const all = parts?.get(row.part?.of ?? "") ?? [{ draft, fleet: row }];
    const costs = sumOfCosts(all.map((each) => ownerCosts(each.draft, fleetOwner(each.fleet.name))));
    const of = { costs, most: boundOf(draft, row, context, all) };
    return [[`fleet:${label}`, of] as const];
  });
  const slots = [...draft.slots.values()].flatMap((row) => {
    const owner = slotOwner(row.id);
    const costs = ownerCosts(draft, owner);
    if (!row.name.startsWith(stack) || row.closing || costs.gpus + costs.unpriced === 0) return [];
    const running = [...livingOf(draft, owner), ...unresolvedOf(draft, owner)].map((each) =>
      hourOf(draft, each),
    );
    // Nothing replaces it but another up, which says so first.
    const limits = { perHour: costs.perHour };
    const most = machineBound(draft, { limits, until: row.until ?? undefined, running }, context);
    return [[`slot:${row.name}`, { costs, most }] as const];
  });
  return new Map([...fleets, ...slots]);
}

/** Of one machine. An up launches it at what its offer costs by then, so only a limit bounds its price. */
export function machineBound(
  draft: Pick<Draft, "account">,
  asked: {
    readonly limits: { readonly perHour: Usd | undefined };
    readonly until: number | undefined;
    readonly running?: readonly (Usd | undefined)[];
    readonly ahead?: number;
  },
  { settings, now }: Context,
): Bound {
  const { limits, until, running = [], ahead = 0 } = asked;
  return boundBy(
    {
      limits: { ...limits, perGpuHour: undefined, total: undefined },
      ...{ gpus: 1, largest: 1, ceilingBy: "", running },
      end: until,
      stops: stopLead(settings) + ahead,
      billing: draft.account.billing,
      advice: {
        price: "no limit says what it may cost: set budget.perHour",
        end: "nothing ends it: set until",
      },
    },
    now.wall,
  );
}
