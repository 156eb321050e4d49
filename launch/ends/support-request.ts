import type { Draft } from "../../ledger/draft.ts";
import { DAY_MS } from "../../ledger/instant.ts";
import type { DeploymentRow } from "../../ledger/rows.ts";
import { combinationText } from "../../service/contract/contract.ts";
import { type IsRetryable, sentence, supportDue } from "./failure-advice.ts";

/** This many failures with one code within a day count as one that recurs or did not clear. */
const RECURS_AT = 3;
/** Ids that a text names. They are enough for the service's support to find the others. */
const MOST_IDS = 10;
const LONGEST_TEXT = 1000;

/** The specification's cases for support (section 7): two codes at once, others once they recur. */
export function needsSupport(draft: Draft, row: DeploymentRow, isRetryable: IsRetryable): boolean {
  const due = row.end === "failed" ? supportDue(row.failureCode, isRetryable) : undefined;
  return due === "now" || (due === "recurs" && alike(draft, row).length >= RECURS_AT);
}

/** A text to send to the service's support as it is; undefined if the specification does not ask for it. */
export function supportRequest(
  draft: Draft,
  row: DeploymentRow,
  isRetryable: IsRetryable,
): string | undefined {
  if (!needsSupport(draft, row, isRetryable)) return undefined;
  const intent = row.intent === null ? undefined : draft.intents.ever(row.intent);
  const launched = intent
    ? ` was launched as ${combinationText(intent)} at ${time(intent.stamped.wall)},`
    : "";
  const failed = `failed at ${time(row.ended?.wall ?? row.statusSince.wall)} with failure_code ${row.failureCode}`;
  const others = alike(draft, row).filter(({ id }) => id !== row.id);
  // The service may say anything, at any length.
  const shown = (text: string): string => sentence(text.slice(0, LONGEST_TEXT));
  const named = others.slice(-MOST_IDS).map(({ id }) => id);
  return [
    `Deployment ${row.id}${launched}${launched && " and"} ${failed}.`,
    ...(row.failureReason ? [`Reason shown: ${shown(row.failureReason)}`] : []),
    ...(row.suggestedAction ? [`Suggested action shown: ${shown(row.suggestedAction)}`] : []),
    ...(others.length > 0
      ? [
          `${others.length} more failed with this code in the 24 hours before: ${named.join(", ")}${others.length > named.length ? ", ..." : ""}.`,
        ]
      : []),
    "Please tell us what is wrong.",
  ].join(" ");
}

/** Our launches that failed with the same code in the day up to this one, itself included. */
function alike(draft: Draft, row: DeploymentRow): readonly DeploymentRow[] {
  const ended = row.ended?.wall ?? 0;
  return [...draft.deployments.values()].filter(
    (other) =>
      other.end === "failed" &&
      other.owner !== null &&
      other.failureCode === row.failureCode &&
      (other.ended?.wall ?? 0) <= ended &&
      (other.ended?.wall ?? 0) > ended - DAY_MS,
  );
}

function time(wall: number): string {
  return new Date(wall).toISOString();
}
