import type { DeploymentRow } from "../../ledger/index.ts";
import {
  FAILURE_DUPLICATE_REQUEST,
  FAILURE_PLATFORM_PROVIDER_ISSUE,
  FAILURE_UNKNOWN,
} from "../../service/contract.ts";
import type { Service } from "../../service/service.ts";

/** What became of a machine that ended, and what to do: the service shows a failure only once (specification, section 3). */
export function endText(row: DeploymentRow, service: Pick<Service, "isRetryable">): string {
  switch (row.end) {
    case "failed":
      return failedText(row, service);
    case "interrupted":
      return `${row.id} was interrupted: its provider lost the machine${because(row)}. Unused time is refunded automatically.`;
    case "stopped":
      return `${row.id} was stopped${because(row)}.`;
    case "gone":
      return `${row.id} is gone: the service does not show it any more.`;
    case null:
      return `${row.id} is ${row.status}.`;
  }
}

/** The two parts of a refund that the specification names: in full, and automatically (sections 3 and 7). */
function failedText(row: DeploymentRow, service: Pick<Service, "isRetryable">): string {
  const why = [row.failureCode, row.failureReason].filter((text) => text !== null).join(": ");
  return [
    `${row.id} failed to launch${why ? `: ${ended(why)}` : "."}`,
    ...(row.suggestedAction ? [`Suggested action: ${ended(row.suggestedAction)}`] : []),
    "The first hour is refunded in full and automatically.",
    ...supportText(row, service),
  ].join(" ");
}

/** When the specification says to contact support (section 7). */
function supportText(
  { id, failureCode }: DeploymentRow,
  service: Pick<Service, "isRetryable">,
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
      return service.isRetryable(failureCode) === true
        ? [`If it keeps recurring, contact the service's support with the deployment ID ${id}.`]
        : [];
  }
}

function because({ stopReason }: DeploymentRow): string {
  return stopReason ? ` (${stopReason})` : "";
}

function ended(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
