import { claimedBy } from "../../../launch/occupancy.ts";
import type { Draft } from "../../../ledger/draft.ts";
import type { OwnerParts } from "../../../ledger/owner.ts";
import { ownerParts } from "../../../ledger/owner.ts";
import type { Owner } from "../../../ledger/rows.ts";
import { clean } from "../../fleet/text.ts";
import { calledName } from "../../status/owner-names.ts";
import type { Alert } from "./outbox.ts";

/** What is sent to a target. Its texts are cleaned and hold no secret. */
export interface Message {
  /** The same whenever and however often the same events are sent: receivers detect repeats by it. */
  readonly id: string;
  /** Wall time of its newest event, in ms. */
  readonly at: number;
  readonly account: string;
  readonly alerts: readonly MessageAlert[];
  /** How many alerts did not fit. `fleetkeeper history` has all. */
  readonly more: number;
  /** The present machines of the fleets in its alerts, with their addresses. */
  readonly fleets: Readonly<Record<string, readonly MessageMachine[]>>;
}

interface MessageAlert {
  readonly id: string;
  readonly kind: string;
  readonly at: string;
  readonly fleet: string | null;
  /** The slot's id in the ledger, for a Pulumi `Deployment`. */
  readonly slot: string | null;
  /** The fleet's name, or the present name of the Pulumi resource. */
  readonly name: string | null;
  readonly deployment: string | null;
  readonly text: string;
  readonly connection: Readonly<Record<string, string>> | null;
}

interface MessageMachine {
  readonly deployment: string;
  readonly status: string;
  readonly connection: Readonly<Record<string, string>>;
}

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
): Message {
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
    id,
    at: alerts.at(-1)?.at ?? 0,
    account,
    alerts: shown.map(({ kind, sequence, at, owner, deployment, text }) => {
      const row = deployment === null ? undefined : draft.deployments.get(deployment);
      return {
        id: `${ledger}-${sequence}`,
        kind,
        at: new Date(at).toISOString(),
        fleet: nameOf(owner, "fleet"),
        slot: nameOf(owner, "slot"),
        name: owner === null ? null : show(calledName(draft, owner)),
        deployment: deployment === null ? null : show(deployment),
        text: show(text),
        connection: row?.connection ? connectionOf(row.connection) : null,
      };
    }),
    more: alerts.length - shown.length,
    fleets: Object.fromEntries(
      [...owners].map((owner) => [
        show(ownerParts(owner).name),
        claimedBy(draft, owner)
          .filter(({ end, stop }) => end === null && stop === null)
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
