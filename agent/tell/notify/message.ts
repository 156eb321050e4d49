import { livingOf } from "../../../launch/facts/occupancy.ts";
import type { Draft } from "../../../ledger/draft.ts";
import { type OwnerParts, ownerParts } from "../../../ledger/owner.ts";
import type { Owner } from "../../../ledger/rows.ts";
import { clean } from "../../fleet/text/text.ts";
import { calledName, spokenName } from "../../status/owner-names.ts";
import type { Alert } from "./outbox.ts";

/** What is sent to a target. Its texts are cleaned and hold no secret. */
export type Message = ReturnType<typeof messageOf>;

const MOST_ALERTS = 20;
const MOST_MACHINES = 500;

/** Makes a text fit to be shown anywhere: no secret, no control characters, not too long. */
type Show = (text: string) => string;

export function messageOf(
  id: string,
  account: string,
  alerts: readonly Alert[],
  draft: Draft,
  ledger: string,
  show: Show,
) {
  const shown = alerts.slice(0, MOST_ALERTS);
  const owners = new Set(
    shown.flatMap(({ owner }) => (owner !== null && ownerParts(owner).kind === "fleet" ? [owner] : [])),
  );
  const connectionOf = (details: Readonly<Record<string, string>> | null): Readonly<Record<string, string>> =>
    Object.fromEntries(Object.entries(details ?? {}).map(([name, value]) => [name, show(value)]));
  const nameOf = (owner: Owner | null, kind: OwnerParts["kind"]): string | null => {
    const parts = owner && ownerParts(owner);
    return parts?.kind === kind ? show(parts.name) : null;
  };
  return {
    /** It does not change however often these events are sent: receivers detect repeats by it. */
    id,
    /** Wall time of its newest event, in ms. */
    at: alerts.at(-1)?.at ?? 0,
    account,
    alerts: shown.map(({ kind, sequence, at, owner, deployment, text }) => {
      const row = deployment === null ? undefined : draft.deployments.ever(deployment);
      return {
        id: `${ledger}-${sequence}`,
        /** Not an alert's where a person tries a target. */
        kind: kind as string,
        at: new Date(at).toISOString(),
        fleet: nameOf(owner, "fleet"),
        /** The slot's id in the ledger, for a Pulumi `Deployment`. */
        slot: nameOf(owner, "slot"),
        /** The fleet's name, with its service if it is a part's matter; or the present name of the Pulumi resource. */
        name:
          owner === null
            ? null
            : show(isOfWhole(draft, kind, owner) ? calledName(draft, owner) : spokenName(draft, owner)),
        deployment: deployment === null ? null : show(deployment),
        text: show(text),
        connection: row?.connection ? connectionOf(row.connection) : null,
      };
    }),
    /** How many alerts did not fit. `fleetkeeper history` has all. */
    more: alerts.length - shown.length,
    /** The present machines of the fleets in its alerts, with their addresses. */
    fleets: Object.fromEntries(
      [...owners].map((owner) => [
        show(ownerParts(owner).name),
        livingOf(draft, owner)
          .filter(({ stop }) => stop === null)
          .slice(0, MOST_MACHINES)
          .map(({ id: deployment, status, connection }) => ({
            deployment: show(deployment),
            status: show(status),
            connection: connectionOf(connection),
          })),
      ]),
    ),
  };
}

/** That launches are held is told of a whole fleet under the name that its first part has, too. */
function isOfWhole(draft: Draft, kind: Alert["kind"], owner: Owner): boolean {
  const { name } = ownerParts(owner);
  return kind === "held" && draft.fleets.get(name)?.part?.of === name;
}

/** One line an alert, and one for those that did not fit. */
export function linesOf({ alerts, more }: Message): readonly string[] {
  const lines = alerts.map(({ kind, name, text }) => `${name ?? "account"} ${kind}: ${text}`);
  return more > 0 ? [...lines, `and ${more} more: fleetkeeper history`] : lines;
}

/** Cuts a text: a notification is read on a phone. */
export function shortText(text: string): string {
  return clean(text, 500);
}

/** The body of a webhook. Its type stands first, as Standard Webhooks wants it. */
export function webhookBody(message: Message): string {
  const { at, id: _id, ...data } = message;
  return JSON.stringify({
    type: "fleetkeeper.alerts",
    timestamp: new Date(at).toISOString(),
    data: { text: linesOf(message).join("\n"), ...data },
  });
}

/**
 * Text for Slack and compatible services. Texts of the service must not format, link or mention anybody. `&`,
 * `<` and `>` are escaped as Slack wants it. An invisible space breaks what others read as a mention.
 */
export function slackBody(message: Message): string {
  const plain = (text: string): string =>
    text
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;")
      .replaceAll("@", "@\u200b")
      .replaceAll("://", ":\u200b//");
  const text = ["fleetkeeper", ...linesOf(message).map((line) => `• ${plain(line)}`)].join("\n");
  return JSON.stringify({ text, mrkdwn: false, unfurl_links: false, unfurl_media: false });
}
