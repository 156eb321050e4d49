import {
  type Context,
  coolingFor,
  holdText,
  pauseAfterCooldowns,
  whyRefusalsHold,
} from "../../../launch/index.ts";
import type { DeploymentRow, Draft } from "../../../ledger/index.ts";
import { type Combination, combinationKey, combinationText } from "../../../service/contract/contract.ts";
import type { MachineInputs } from "./inputs.ts";
import type { Properties } from "./resource-kind.ts";
import { hasUnknown } from "./unknown.ts";

/** A combination that may be launched, with what is known of it. */
export interface Candidate extends Combination {
  readonly gpus?: number | undefined;
  /** An hour's price in the service's currency, an exact decimal. */
  readonly pricePerHour?: string | undefined;
}

type Choice = Pick<MachineInputs, keyof Candidate | "candidates">;

/** The combinations that may fill a slot, the preferred first: the list, or the single one. */
export function candidatesOf(choice: Choice): readonly Candidate[] {
  const { offer, provider, location, gpus, pricePerHour, candidates } = choice;
  if (offer !== undefined && provider !== undefined && location !== undefined)
    return [{ offer, provider, location, gpus, pricePerHour }];
  return (candidates ?? []).map((each) => ({
    ...each,
    gpus: each.gpus ?? gpus,
    pricePerHour: each.pricePerHour ?? pricePerHour,
  }));
}

/** The candidates in an engine's properties; undefined while a part of them is unknown. */
export function knownCandidatesOf(props: Properties): readonly Candidate[] | undefined {
  const { offer, provider, location, gpus, pricePerHour, candidates } = props;
  const choice = { offer, provider, location, gpus, pricePerHour, candidates };
  if (hasUnknown(choice)) return undefined;
  // As the program wrote it: a number, too.
  return candidatesOf(choice as Choice).map(({ pricePerHour: price, ...each }) =>
    price === undefined ? each : { ...each, pricePerHour: String(price) },
  );
}

/** The combination that a machine was launched as. For an adopted one: as the service shows it. */
export function combinationOf(draft: Draft | undefined, row: DeploymentRow): Partial<Combination> {
  const intent = row.intent === null ? undefined : draft?.intents.ever(row.intent);
  const { offer, provider, location } = intent ?? row;
  return Object.fromEntries(
    Object.entries({ offer, provider, location }).filter(([, value]) => value !== null),
  );
}

/** True if nothing known of the machine rules out that it is one of these. */
export function isAmong(known: Partial<Combination>, candidates: readonly Combination[]): boolean {
  return candidates.some((each) =>
    (["offer", "provider", "location"] as const).every(
      (key) => known[key] === undefined || known[key] === each[key],
    ),
  );
}

export function whyNotAmong(
  draft: Draft,
  row: DeploymentRow,
  candidates: readonly Combination[],
): string | undefined {
  const known = combinationOf(draft, row);
  if (isAmong(known, candidates)) return undefined;
  const { offer = "?", provider = "?", location = "?" } = known;
  const wanted = candidates.map(combinationText).join(", ");
  return `${row.id} is ${combinationText({ offer, provider, location })}, and this asks for ${wanted}`;
}

export type Next =
  | { readonly kind: "try"; readonly candidate: Candidate; readonly passed: readonly string[] }
  /** All that were not refused cool down, and this one clears first. `asked`: the service named the wait. */
  | { readonly kind: "wait"; readonly candidate: Candidate; readonly ms: number; readonly asked: boolean }
  | { readonly kind: "none"; readonly reasons: readonly string[] };

/** Chooses the next candidate in one run: the first that neither cools down nor was definitely refused. */
export class Ranking {
  readonly #candidates: readonly Candidate[];
  readonly #refused = new Map<string, string>();

  constructor(candidates: readonly Candidate[]) {
    this.#candidates = candidates;
  }

  /** The candidate is not tried again in this run. */
  refuse(candidate: Candidate, reason: string): void {
    this.#refused.set(combinationKey(candidate), reason);
  }

  next(draft: Draft, context: Context): Next {
    const passed: string[] = [];
    const reasons: string[] = [];
    let soonest: Omit<Extract<Next, { kind: "wait" }>, "kind"> | undefined;
    for (const candidate of this.#candidates) {
      const held = whyRefusalsHold(draft, candidate, context);
      const refused = this.#refused.get(combinationKey(candidate)) ?? (held && holdText(held));
      if (refused !== undefined) {
        reasons.push(`${combinationText(candidate)}: ${refused}`);
        passed.push(`${combinationText(candidate)} was refused (${refused})`);
        continue;
      }
      const asked = coolingFor(draft.cooldown(candidate), context);
      const ms = Math.max(asked, pauseAfterCooldowns(draft, candidate, context));
      if (ms === 0) return { kind: "try", candidate, passed };
      passed.push(`${combinationText(candidate)} is cooling down for ${Math.ceil(ms / 1000)} s`);
      if (soonest === undefined || ms < soonest.ms) soonest = { candidate, ms, asked: ms === asked };
    }
    return soonest ? { kind: "wait", ...soonest } : { kind: "none", reasons };
  }
}
