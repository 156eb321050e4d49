import { otherLedgerOf } from "../../launch/claim/groups.ts";
import { stopCallsText } from "../../launch/ends/not-stopping.ts";
import type { Keeper } from "../../launch/keeper.ts";
import type { Draft } from "../../ledger/draft.ts";
import type { Instant } from "../../ledger/instant.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { readDraft } from "../../ledger/read-draft.ts";
import type { DeploymentRow } from "../../ledger/rows.ts";
import { combinationText } from "../../service/contract/contract.ts";
import { USD } from "../../service/contract/money.ts";
import type { DeploymentFacts, DeploymentHistory, DeploymentShown } from "../json/deployments.ts";
import { machineVersion } from "./machine-version.ts";
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

function isoTime({ wall }: Instant): string {
  return new Date(wall).toISOString();
}

const MOST_EVENTS = 1000;

/** What happened to one machine, the oldest first. */
async function historyOf(
  { ledger, account }: { readonly ledger: Pick<Ledger, "eventsAbout">; readonly account: string },
  id: string,
): Promise<DeploymentHistory> {
  const events = await ledger.eventsAbout(account, { deployment: id }, MOST_EVENTS);
  return events.map(({ at, kind, text }) => ({ at: new Date(at).toISOString(), kind, text })).reverse();
}

/** The account's deployments by age. `all`: those that ended, too, and what is archived. */
export function deploymentsOf(draft: Draft, all: boolean): readonly DeploymentFacts[] {
  const rows = all ? everSeen(draft) : draft.deployments.of("life", "living");
  return [...rows]
    .sort((one, other) => one.sequence - other.sequence)
    .map((row) => deploymentFacts(draft, row));
}

function* everSeen({ archive, deployments }: Draft): Iterable<DeploymentRow> {
  yield* deployments.values();
  for (const id of archive.ids()) {
    const row = deployments.ever(id);
    if (row) yield row;
  }
}

/** All that is known of one deployment, and what happened to it. Undefined: the account has none of this id. */
export async function deploymentShown(
  keeper: Pick<Keeper, "ledger" | "account">,
  id: string,
): Promise<DeploymentShown | undefined> {
  const draft = await readDraft(keeper);
  const row = draft.deployments.ever(id);
  if (!row) return undefined;
  const intent = row.intent === null ? undefined : draft.intents.ever(row.intent);
  return {
    ...deploymentFacts(draft, row),
    version: machineVersion(row),
    connection: row.connection ?? {},
    marker: markerText(row, keeper.ledger),
    launch: intent ? { place: combinationText(intent), state: intent.state, detail: intent.detail } : null,
    stopText: row.stop && stopText(row.stop),
    history: await historyOf(keeper, id),
  };
}

/** What the service shows back of the launch, and if another ledger wrote that. Null: nothing. */
function markerText(row: DeploymentRow, { id, location }: Pick<Ledger, "id" | "location">): string | null {
  if (row.marker === null) return null;
  return otherLedgerOf(row, id) === undefined
    ? row.marker
    : `${row.marker}, of another ledger than ${location}`;
}

function stopText(stop: NonNullable<DeploymentRow["stop"]>): string {
  const { why, attempts, accepted, error, calls } = stop;
  if (calls) return `${why}; ${stopCallsText({ stop })}`;
  const sent = attempts === 0 ? "not sent yet" : `sent ${attempts === 1 ? "once" : `${attempts} times`}`;
  return `${why}; ${sent}${accepted ? ", accepted" : ""}${error === null ? "" : `; the last answer: ${error}`}`;
}
