import type { DeploymentRow } from "../../ledger/rows.ts";
import {
  FAILURE_DUPLICATE_REQUEST,
  FAILURE_PLATFORM_PROVIDER_ISSUE,
  FAILURE_UNKNOWN,
} from "../../service/contract/contract.ts";

/** What the service suggests about a launch that failed, in its own words. */
export function suggestion({ suggestedAction }: Pick<DeploymentRow, "suggestedAction">): readonly string[] {
  return suggestedAction ? [`Suggested action: ${sentence(suggestedAction)}`] : [];
}

export type IsRetryable = (failureCode: string) => boolean | undefined;

/**
 * When the specification (section 7) says to contact support: now, or once the failure recurs or does not
 * clear. It says nothing of an unknown code.
 */
export function supportDue(
  failureCode: string | null,
  isRetryable: IsRetryable,
): "now" | "recurs" | undefined {
  switch (failureCode) {
    case FAILURE_UNKNOWN:
    case FAILURE_DUPLICATE_REQUEST:
      return "now";
    case FAILURE_PLATFORM_PROVIDER_ISSUE:
      return "recurs";
    case null:
      return undefined;
    default:
      return isRetryable(failureCode) === true ? "recurs" : undefined;
  }
}

/** That the service's support is due, as a sentence. Empty: it is not. */
export function supportAdvice(
  { id, failureCode }: Pick<DeploymentRow, "id" | "failureCode">,
  isRetryable: IsRetryable,
): readonly string[] {
  const due = supportDue(failureCode, isRetryable);
  if (due === undefined) return [];
  const whom = `the service's support with the deployment ID ${id}.`;
  if (due === "now") return [`Contact ${whom}`];
  const unless =
    failureCode === FAILURE_PLATFORM_PROVIDER_ISSUE
      ? "If it does not clear after a short wait"
      : "If it keeps recurring";
  return [`${unless}, contact ${whom}`];
}

export function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
