import type { Draft } from "../../../../ledger/draft.ts";
import type { DeploymentRow, End } from "../../../../ledger/rows.ts";
import {
  FAILURE_DUPLICATE_REQUEST,
  FAILURE_PLATFORM_PROVIDER_ISSUE,
  FAILURE_UNKNOWN,
} from "../../../../service/contract/contract.ts";

/** A machine of ours that ended by itself: nobody stopped it. */
export interface Loss {
  readonly row: DeploymentRow;
  readonly kind: Exclude<End, "stopped">;
  /** `failure_code` or `stop_reason`; empty if the service gave none. */
  readonly code: string;
}

/** The losses in the ledger that are not archived, the oldest first. */
export function lossesOf(draft: Draft): readonly Loss[] {
  return [...draft.deployments.values()]
    .flatMap((row) => {
      const { end, owner } = row;
      if (end === null || end === "stopped" || owner === null) return [];
      const code = (end === "failed" ? row.failureCode : row.stopReason) ?? "";
      return [{ row, kind: end, code }];
    })
    .sort((one, other) => (one.row.ended?.wall ?? 0) - (other.row.ended?.wall ?? 0));
}

const NAMED = [FAILURE_UNKNOWN, FAILURE_DUPLICATE_REQUEST, FAILURE_PLATFORM_PROVIDER_ISSUE];

/** How many codes get a label, beyond those of the specification. */
const MOST_CODES = 20;

/**
 * The label for a failure code. Codes come from the service, and each label is a time series for ever. So
 * only the specification's codes and the first few others that look like codes get one. The rest is "other".
 */
export function labelsOf(losses: readonly Pick<Loss, "code">[]): (code: string) => string {
  const known = new Set<string>(NAMED);
  for (const { code } of losses) {
    if (known.size < NAMED.length + MOST_CODES && /^[A-Za-z0-9_.-]{1,64}$/.test(code)) known.add(code);
  }
  return (code) => (code === "" ? "none" : known.has(code) ? code : "other");
}
