import type { DeploymentRow } from "../ledger/rows.ts";
import {
  FAILURE_DUPLICATE_REQUEST,
  FAILURE_PLATFORM_PROVIDER_ISSUE,
  FAILURE_UNKNOWN,
} from "../service/contract.ts";

/** Sentences about a launch that failed: what the service suggests, in its own words. */
export function suggestion({ suggestedAction }: Pick<DeploymentRow, "suggestedAction">): readonly string[] {
  return suggestedAction ? [`Suggested action: ${sentence(suggestedAction)}`] : [];
}

/** When the specification says to contact support (section 7). Of a code that nobody knows it says nothing. */
export function supportAdvice(
  { id, failureCode }: Pick<DeploymentRow, "id" | "failureCode">,
  isRetryable: (failureCode: string) => boolean | undefined,
): readonly string[] {
  switch (failureCode) {
    case FAILURE_UNKNOWN:
    case FAILURE_DUPLICATE_REQUEST:
      return [`Contact the service's support with the deployment ID ${id}.`];
    case FAILURE_PLATFORM_PROVIDER_ISSUE:
      return [
        `If it does not clear after a short wait, contact the service's support with the deployment ID ${id}.`,
      ];
    case null:
      return [];
    default:
      return isRetryable(failureCode) === true
        ? [`If it keeps recurring, contact the service's support with the deployment ID ${id}.`]
        : [];
  }
}

export function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
