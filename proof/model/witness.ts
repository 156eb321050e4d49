import type { Draft } from "../../ledger/draft.ts";
import type { DeploymentRow, IntentRow } from "../../ledger/rows.ts";

/* What the product's decisions are, as far as the model speaks of it, and what happened between them. */

/** One thing that happened, in the order in which all did. */
export type Happened =
  /** A transaction stored this, in its own order. `where`: its ledger and account. */
  | {
      readonly kind: "stored";
      readonly at: number;
      readonly process: string;
      readonly where: string;
      readonly rows: readonly Stored[];
    }
  /** A POST arrived at the service. `entry` is its number in the truth. */
  | {
      readonly kind: "sent";
      readonly at: number;
      readonly process: string;
      readonly marker: string;
      readonly entry: number;
    }
  /** A machine lost its id to another one, and has this one in the truth. */
  | { readonly kind: "anew"; readonly at: number; readonly was: string; readonly is: string }
  /** A process ended, or was killed. */
  | { readonly kind: "over"; readonly at: number; readonly process: string };

/** A row as it was, if it was there, and as it is from now on. */
export type Stored =
  | { readonly table: "intent"; readonly before: IntentRow | undefined; readonly row: IntentRow }
  | { readonly table: "deployment"; readonly before: DeploymentRow | undefined; readonly row: DeploymentRow };

/** Keeps what changes something for the model. Most commits change nothing: a list that shows what was there before. */
export class Witness {
  readonly all: Happened[] = [];
  readonly #intents = new Map<string, IntentRow>();
  readonly #machines = new Map<string, DeploymentRow>();

  stored(
    changes: Draft["changes"],
    about: { readonly at: number; readonly process: string; readonly where: string },
  ): void {
    const rows: Stored[] = [];
    for (const change of changes) {
      if (change.table === "intent") {
        const { row } = change;
        const before = this.#intents.get(row.id);
        if (before && launchView(before) === launchView(row)) continue;
        this.#intents.set(row.id, row);
        rows.push({ table: "intent", before, row });
      } else if (change.table === "deployment") {
        const { row } = change;
        const key = `${about.where} ${row.id}`;
        const before = this.#machines.get(key);
        if (before && machineView(before) === machineView(row)) continue;
        this.#machines.set(key, row);
        rows.push({ table: "deployment", before, row });
      }
    }
    if (rows.length > 0) this.all.push({ kind: "stored", ...about, rows });
  }
}

function launchView({ state, deployment, answer }: IntentRow): string {
  return `${state} ${deployment} ${answer?.id} ${answer?.unshown} ${answer === null}`;
}

function machineView({ lastSeen, claim, intent, owner, end, status }: DeploymentRow): string {
  return `${lastSeen === null} ${claim} ${intent} ${owner} ${end} ${status === "stopping"}`;
}
