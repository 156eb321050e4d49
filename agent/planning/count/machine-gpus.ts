import type { Draft } from "../../../ledger/draft.ts";
import type { DeploymentRow } from "../../../ledger/rows.ts";
import { MOST_GPUS } from "../../../service/contract/limits.ts";

/**
 * GPUs of one machine: the number that a person said, else the expected one, else the one that the service
 * shows. A service may show 0 until the machine is there, and a pointer may read another number. One too low
 * would have the next tick pay for one more machine, one too high would have others stopped.
 */
export function gpusOf(draft: Launches, row: DeploymentRow): number {
  const expected = expectedGpus(draft, row);
  return Math.min(row.saidGpus ?? (expected > 0 ? expected : (row.gpus ?? 0)), MOST_GPUS);
}

export function gpusOfAll(draft: Draft, rows: readonly DeploymentRow[]): number {
  return rows.reduce((sum, row) => sum + gpusOf(draft, row), 0);
}

/** What its launch asked for, or the option that a machine without a launch was taken for; 0: not known. */
export function expectedGpus(draft: Launches, row: DeploymentRow): number {
  return Math.max(row.expectedGpus ?? 0, draft.intents.ever(row.intent ?? "")?.gpus ?? 0);
}

type Launches = Pick<Draft, "intents">;

export function isStopping(row: DeploymentRow): boolean {
  return row.stop !== null || row.status === "stopping";
}
