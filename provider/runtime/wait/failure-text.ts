import { clean } from "../../../agent/fleet/text/text.ts";
import { sentence, suggestion, supportAdvice } from "../../../launch/ends/failure-advice.ts";
import type { DeploymentRow } from "../../../ledger/index.ts";
import { unhandled } from "../../../service/contract/errors.ts";
import type { Service } from "../../../service/contract/service.ts";

/** How a machine ended, and what to do. The service shows a failure only once (specification, section 3). */
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
    default:
      return unhandled(row.end);
  }
}

/**
 * Says of a refund only the two facts that the specification names: in full and automatic (sections 3 and 7).
 * It names one for a failed launch, none for a machine that ran and then failed.
 */
function failedText(row: DeploymentRow, service: Pick<Service, "isRetryable">): string {
  const why = [row.failureCode, row.failureReason]
    .flatMap((text) => (text === null ? [] : clean(text)))
    .join(": ");
  const ran = row.young === false;
  return [
    `${row.id} ${ran ? "ran, and then failed" : "failed to launch"}${why ? `: ${sentence(why)}` : "."}`,
    ...suggestion({ suggestedAction: row.suggestedAction && clean(row.suggestedAction) }),
    ran
      ? "It is no failed launch, for which the first hour would be refunded."
      : "The first hour is refunded in full and automatically.",
    ...supportAdvice(row, (code) => service.isRetryable(code)),
  ].join(" ");
}

function because({ stopReason }: DeploymentRow): string {
  return stopReason ? ` (${clean(stopReason)})` : "";
}
