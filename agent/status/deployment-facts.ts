import type { Draft } from "../../ledger/draft.ts";
import type { Instant } from "../../ledger/instant.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { DeploymentRow } from "../../ledger/rows.ts";
import { USD } from "../../service/contract/money.ts";
import type { DeploymentFacts, DeploymentHistory } from "../json/deployments.ts";
import { whoOwns } from "./owner-names.ts";
import { shortRow } from "./short-row.ts";

/** What programs read of one machine. */
export function deploymentFacts(draft: Draft, row: DeploymentRow): DeploymentFacts {
  const { end, ended, createdAt, firstSeen, claim, owner, stop } = row;
  const { failureCode, failureReason, suggestedAction, stopReason } = row;
  return {
    ...shortRow(draft, row),
    currency: draft.account.currency ?? USD,
    end,
    endedAt: ended && isoTime(ended),
    createdAt,
    firstSeen: isoTime(firstSeen),
    claim,
    owner: owner && whoOwns(draft, owner),
    failureCode,
    failureReason,
    suggestedAction,
    stopReason,
    stop: stop && { asked: isoTime(stop.asked), why: stop.why, accepted: stop.accepted, error: stop.error },
  };
}

export function isoTime({ wall }: Instant): string {
  return new Date(wall).toISOString();
}

const MOST_EVENTS = 1000;

/** What happened to one machine, the oldest first. */
export async function historyOf(
  { ledger, account }: { readonly ledger: Pick<Ledger, "eventsAbout">; readonly account: string },
  id: string,
): Promise<DeploymentHistory> {
  const events = await ledger.eventsAbout(account, { deployment: id }, MOST_EVENTS);
  return events.map(({ at, kind, text }) => ({ at: new Date(at).toISOString(), kind, text })).reverse();
}
