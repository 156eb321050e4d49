import { onTestFinished } from "vitest";
import { runLoop } from "../../agent/reconcile/loop.ts";
import type { Draft } from "../../ledger/draft.ts";
import { scratchDraft } from "../../ledger/read-draft.ts";
import type { CatalogueOffer, Truth } from "../../simulator/index.ts";
import type { Stage, StageOptions } from "../support/stage.ts";
import { stage } from "../support/stage.ts";

export const SECOND = 1000;
export const MINUTE = 60_000;

/** A stage that the test's end closes. */
export async function onStage(options: StageOptions = {}): Promise<Stage> {
  const made = await stage(options);
  onTestFinished(() => made.stop());
  return made;
}

/** What of an offer a fleet names as a candidate. */
export function candidate({ offer, provider, location, gpus }: CatalogueOffer) {
  return { offer, provider, location, gpus };
}

/** How often each operation was asked for between two looks at the truth, without those that were not. */
export function requestsBetween(before: Truth, after: Truth): Record<string, number> {
  const counts = Object.entries(after.requests).map(
    ([name, count]) => [name, count - (before.requests[name as keyof Truth["requests"]] ?? 0)] as const,
  );
  return Object.fromEntries(counts.filter(([, count]) => count !== 0));
}

/** The ledger's rows as they are now. */
export async function draftOf({ keeper }: Stage): Promise<Draft> {
  return scratchDraft(keeper);
}

/** Everything but the account's row, which says when the agent was last heard of. */
export async function rowsOf({ keeper }: Stage): Promise<string> {
  const { account, intents, deployments, slots, fleets, cooldowns } = await keeper.ledger.read(
    keeper.account,
  );
  const seen = deployments.map(({ lastSeen, ...row }) => row);
  return JSON.stringify({ intents, seen, slots, fleets, cooldowns, agent: account.agent?.process });
}

/** Seconds after the start at which launches were sent. */
export function launchTimes({ simulator }: Stage, since: number): readonly number[] {
  return simulator.truth().launches.map(({ at }) => (at - since) / SECOND);
}

/** Why the fleet's count is not reached, as its last tick found it. */
export function reasonsOf({ reports }: Stage, fleet = "training"): string {
  return (
    reports
      .at(-1)
      ?.plans.find((each) => each.fleet === fleet)
      ?.reasons.join("\n") ?? ""
  );
}

/** An agent of another process over the same ledger, until the test ends or it is told to. */
export function nextAgent(on: Stage, keeper = on.keeper): { readonly stop: () => Promise<void> } {
  const aborting = new AbortController();
  const loop = runLoop(
    {
      keeper,
      host: "test",
      onTick: (report) => void on.reports.push(report),
      onError: (error) => void on.errors.push(error.message),
    },
    aborting.signal,
  );
  const stop = async (): Promise<void> => {
    aborting.abort();
    await loop;
  };
  onTestFinished(stop);
  return { stop };
}

/** GPUs that lived and that ran at one time, by the simulator. */
export interface Seen {
  most: number;
  fewest: number;
}

/** Time goes on, and each ten seconds it is seen how many GPUs live, and how many of them run. */
export async function watch(
  on: Stage,
  minutes: number,
  seen: Seen = { most: 0, fewest: Number.POSITIVE_INFINITY },
): Promise<Seen> {
  for (let at = 0; at < minutes * 6; at++) {
    await on.clock.advance(10 * SECOND);
    const sum = (all: ReturnType<Stage["alive"]>): number => all.reduce((gpus, each) => gpus + each.gpus, 0);
    seen.most = Math.max(seen.most, sum(on.alive()));
    seen.fewest = Math.min(seen.fewest, sum(on.alive().filter(({ state }) => state === "running")));
  }
  return seen;
}
