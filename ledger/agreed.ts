import Big from "big.js";
import { parsePrice } from "../service/contract/money.ts";
import type { Draft } from "./draft.ts";
import { haltFor } from "./halt.ts";
import type { ClaimMove } from "./lifecycle.ts";
import { ownerParts } from "./owner.ts";
import type { DeploymentRow, IntentRow, Tenure } from "./rows.ts";
import { unsound } from "./unsound.ts";

/*
 * What the rows of an account say of each other, asserted right before a decision is stored: for those launches and machines
 * alone whose state or claim it moved. docs/how/assertions.md has the rules. ledger/kept.ts has what a row alone must keep.
 */

/** A decision for a ledger to store, and what a second transaction stores if it was refused: see `haltFor`. `now`: wall time in ms. */
export function soundly<T>(
  decision: (draft: Draft) => T,
  now: () => number,
): {
  readonly decide: (draft: Draft) => T;
  readonly haltFor: (error: unknown) => ((draft: Draft) => void) | undefined;
} {
  let tried: Draft | undefined;
  return {
    decide(draft) {
      tried = draft;
      const result = decision(draft);
      demandAgreement(draft);
      return result;
    },
    haltFor: (error) => haltFor(error, tried, now),
  };
}

/** @internal Exported for the explorer of the proof. */
export function demandAgreement(draft: Draft): void {
  const { moved } = draft;
  for (const [id, isNew] of moved.intents) {
    const intent = draft.intents.get(id);
    if (intent?.state === "open") demandOpen(draft, intent, isNew);
    if (intent?.state === "claimed") demandClaimed(draft, intent);
  }
  for (const [id, move] of moved.deployments) {
    const row = draft.deployments.get(id);
    if (row) demandMachine(draft, row, move);
  }
}

function demandOpen(draft: Draft, intent: IntentRow, isNew: boolean): void {
  const { id, group, baseline } = intent;
  const other = draft.intents.of("state", "open").find((each) => each.group === group && each.id !== id);
  if (other)
    unsound("oneOpen", `the launches ${id} and ${other.id} of the group ${group} would both be open`);
  if (baseline > draft.account.sequence)
    unsound(
      "baseline",
      `the launch ${id} would have the baseline ${baseline}, and the newest machine is ${draft.account.sequence}`,
    );
  if (!isNew) return;
  if (ownerParts(intent.owner).kind === "slot") demandEmpty(draft, intent);
  demandAffordable(draft, intent);
}

/** A slot is one place: what is launched into it is all that it has. */
function demandEmpty(draft: Draft, { id, owner }: IntentRow): void {
  const open = draft.intents.of("doubtOf", owner).find((each) => each.state === "open" && each.id !== id);
  if (open)
    unsound(
      "oneInSlot",
      `the launch ${id} would be written for ${owner} beside the launch ${open.id}, which is open`,
    );
  const machine = draft.deployments
    .of("livingOf", owner)
    .find(({ claim, status }) => claim !== "disputed" && status !== "stopping");
  if (machine)
    unsound("oneInSlot", `the launch ${id} would be written for ${owner}, which has ${machine.id}`);
}

/** Limits need a price. One an hour holds what lives and what may: the least that their prices must come to. */
function demandAffordable(draft: Draft, intent: IntentRow): void {
  const { id, owner, gpus, pricePerHour, labels = {} } = intent;
  const { kind, name } = ownerParts(owner);
  const fleet = kind === "fleet" ? draft.fleets.get(name) : undefined;
  const { budget = {} } = (fleet?.wish ?? {}) as { readonly budget?: Readonly<Record<string, string>> };
  const shared = (draft.account.budgets ?? []).some(({ label = {} }) =>
    Object.entries(label).every(([key, value]) => labels[key] === value),
  );
  if (!shared && Object.keys(budget).length === 0) return;
  const price = parsePrice(pricePerHour);
  if (price === undefined)
    unsound("budget", `the launch ${id} of ${owner}, which has limits, would have no price`);
  const { perGpuHour, perHour } = budget;
  if (perGpuHour !== undefined && Big(perGpuHour).times(gpus).lt(price))
    unsound(
      "budget",
      `the launch ${id} of ${owner} would cost ${pricePerHour} for ${gpus} GPUs, and ${perGpuHour} is the most for one`,
    );
  if (perHour === undefined) return;
  const prices: (string | null)[] = [];
  for (const each of draft.deployments.of("livingOf", owner))
    if (each.claim !== "disputed") prices.push(each.pricePerHour);
  for (const each of draft.intents.of("doubtOf", owner))
    if (each.state === "open") prices.push(each.pricePerHour);
  // What is far from the limit is added up by the machine's own numbers, which takes a tenth of the time.
  let about = 0;
  for (const price of prices) about += Number(price);
  if (about < Number(perHour) * 0.999) return;
  const sum = prices.reduce((total, each) => total.plus(parsePrice(each) ?? 0), Big(0));
  if (sum.gt(perHour))
    unsound("budget", `${owner} would cost ${sum} an hour with the launch ${id}, and ${perHour} is the most`);
}

/** What a launch made has this launch, and no other one. A person's word on the machine stays. */
function demandClaimed(draft: Draft, { id, deployment }: IntentRow): void {
  const row = deployment === null ? undefined : draft.deployments.get(deployment);
  if (!row || row.intent === id || row.claim === "foreign") return;
  if (row.intent === null && row.claim === "certain") return;
  unsound(
    "oneMachine",
    `the launch ${id} would have made ${deployment}, which is the launch ${row.intent}'s`,
  );
}

/** What is claimed for a launch is what it made: one machine, but for one too many that is certainly ours. */
function demandMachine(draft: Draft, row: DeploymentRow, move: ClaimMove): void {
  const { id, claim, intent: launch, owner, sequence } = row;
  if (sequence > draft.account.sequence)
    unsound(
      "baseline",
      `${id} would have the number ${sequence}, and the newest machine is ${draft.account.sequence}`,
    );
  if (launch === null || (move !== "claim" && move !== "infer")) return;
  const intent = draft.intents.ever(launch);
  if (!intent) unsound("oneMachine", `${id} would be ${owner}'s by the launch ${launch}, which is not there`);
  if (intent.state === "claimed" && intent.deployment === id) return;
  if (mayBeOneTooMany(row, intent, draft.account.tenure)) return;
  unsound(
    "oneMachine",
    `${id} would be ${claim} by the launch ${launch}, which is ${intent.state} and made ${intent.deployment ?? "nothing"}`,
  );
}

/** True if a launch may have this machine beside the one that it made: it is certainly ours. */
export function mayBeOneTooMany(
  { claim, marker }: Pick<DeploymentRow, "claim" | "marker">,
  launch: Pick<IntentRow, "marker">,
  tenure: Tenure,
): boolean {
  return claim === "certain" && (tenure === "exclusive" || marker === launch.marker);
}
