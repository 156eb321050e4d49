import { otherLedgerOf } from "../../../launch/claim/groups.ts";
import type { Context } from "../../../launch/facts/context.ts";
import { livingOf, unaccounted } from "../../../launch/facts/occupancy.ts";
import { hourOf } from "../../../launch/money/price.ts";
import type { Draft } from "../../../ledger/draft.ts";
import { fleetOwner } from "../../../ledger/owner.ts";
import { amountText, formatUsd } from "../../../service/contract/money.ts";
import { andMore, gpusText } from "../../fleet/text/text.ts";
import type { PlanFacts } from "../../json/plan.ts";
import { gpusOf } from "../count/machine-gpus.ts";
import { otherLedgerText } from "../machines/initial-adoption.ts";

/*
 * What fleets of an exclusive account take without a launch, for whoever is about to let them: the account may be a shared one
 * that was called exclusive by mistake.
 */

export type Takes = PlanFacts["takes"];

/** The machines that nobody answers for, before a preview gives some to fleets. */
export function nobodysOf(draft: Draft): ReadonlySet<string> {
  return new Set(unaccounted(draft).map(({ id }) => id));
}

/** Those of them that the fleet has by now. */
export function takesOf(
  draft: Draft,
  fleet: string,
  nobodys: ReadonlySet<string>,
  { ledger }: Context,
): Takes {
  return livingOf(draft, fleetOwner(fleet))
    .filter(({ id }) => nobodys.has(id))
    .map((row) => {
      const price = hourOf(draft, row);
      return {
        id: row.id,
        status: row.status,
        gpus: gpusOf(draft, row),
        pricePerHour: price ? formatUsd(price) : null,
        otherLedger: otherLedgerOf(row, ledger) ?? null,
      };
    });
}

/** So many are named in a line each. */
const MOST_LINES = 5;

/** `d-1, which runs already in this exclusive account: 8 GPUs, 16.00 USD an hour`; of many in one line. */
export function takeTexts(takes: Takes, currency: string | undefined): readonly string[] {
  if (takes.length <= MOST_LINES)
    return takes.map(({ id, status, gpus, pricePerHour }) => {
      const is = status === "running" ? "runs already" : `is ${status} already`;
      return `${id}, which ${is} in this exclusive account: ${gpusText(gpus)}, ${amountText(pricePerHour, currency)} an hour`;
    });
  const gpus = takes.reduce((sum, each) => sum + each.gpus, 0);
  const ids = andMore(takes.map(({ id }) => id));
  return [
    `${takes.length} machines, which are there already in this exclusive account, with ${gpusText(gpus)}: ${ids}`,
  ];
}

/** A text for each other ledger that launched some of them. */
export function otherLedgerTexts(takes: Takes): readonly string[] {
  const others = Map.groupBy(takes, ({ otherLedger }) => otherLedger);
  return [...others].flatMap(([ledger, of]) =>
    ledger === null
      ? []
      : otherLedgerText(
          of.map(({ id }) => id),
          ledger,
        ),
  );
}
