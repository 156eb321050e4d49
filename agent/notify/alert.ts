import { supportAdvice } from "../../launch/failure-advice.ts";
import type { Draft } from "../../ledger/draft.ts";
import type { DeploymentRow, Owner, StoredEvent } from "../../ledger/rows.ts";

/** What people may want to be told of, in the order of the documentation. */
export const ALERT_KINDS = [
  "interrupted",
  "support",
  "runway",
  "drained",
  "unclaimed",
  "disputed",
  "halted",
  "held",
  "distrust",
  "stuck",
  "notReady",
  "settings",
  "running",
] as const;
export type AlertKind = (typeof ALERT_KINDS)[number];

/** Everything but machines that came to run: that is news for programs. */
export const DEFAULT_KINDS: readonly AlertKind[] = ALERT_KINDS.filter((kind) => kind !== "running");

export interface Alert {
  readonly kind: AlertKind;
  /** Of the event that it tells: the same for every target, and after a restart. */
  readonly sequence: number;
  readonly at: number;
  readonly owner: Owner | null;
  readonly deployment: string | null;
  readonly text: string;
}

const KIND_OF: Readonly<Record<string, AlertKind>> = {
  interrupted: "interrupted",
  gone: "interrupted",
  failed: "support",
  runway: "runway",
  drained: "drained",
  unclaimed: "unclaimed",
  disputed: "disputed",
  halted: "halted",
  held: "held",
  distrust: "distrust",
  stuck: "stuck",
  notReady: "notReady",
  notReloaded: "settings",
  running: "running",
};

/** Machines of strangers come and go, and are nobody's business here until somebody must say whose they are. */
const OURS_ONLY: readonly AlertKind[] = ["interrupted", "support", "running"];

/** What an event of the ledger tells people; undefined: nothing that they need to be told. */
export function alertOf(
  { kind: eventKind, sequence, at, owner: toldOf, deployment, text }: StoredEvent,
  draft: Draft,
  isRetryable: (failureCode: string) => boolean | undefined,
): Alert | undefined {
  const kind = KIND_OF[eventKind];
  const row = deployment === null ? undefined : draft.deployments.get(deployment);
  // A list that first shows a machine of ours tells of it before it is claimed.
  const owner = toldOf ?? row?.owner ?? null;
  if (kind === undefined || (OURS_ONLY.includes(kind) && owner === null)) return undefined;
  if (kind === "support" && !(row && needsSupport(draft, row, isRetryable))) return undefined;
  return { kind, sequence, at, owner, deployment, text };
}

/** So many failures with one code, within a day, are a failure that keeps recurring. */
const RECURS_AT = 3;
const DAY_MS = 24 * 3_600_000;

/** The specification's cases for the service's support (section 7): two codes at once, others once they recur. */
export function needsSupport(
  draft: Draft,
  row: DeploymentRow,
  isRetryable: (failureCode: string) => boolean | undefined,
): boolean {
  const [advice] = supportAdvice(row, isRetryable);
  if (advice === undefined) return false;
  if (advice.startsWith("Contact")) return true;
  const ended = row.ended?.wall ?? 0;
  const alike = [...draft.deployments.values()].filter(
    (other) =>
      other.end === "failed" &&
      other.owner !== null &&
      other.failureCode === row.failureCode &&
      (other.ended?.wall ?? 0) <= ended &&
      (other.ended?.wall ?? 0) > ended - DAY_MS,
  );
  return alike.length >= RECURS_AT;
}

/** What two alerts have in common that say the same thing: only the first of them is told in its quiet time. */
export function keyOf({ kind, owner, deployment }: Alert): string {
  return `${kind} ${deployment ?? owner ?? ""}`;
}
