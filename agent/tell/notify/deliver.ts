import { Webhook } from "standardwebhooks";
import type { Dispatcher } from "undici";
import { MINUTE_MS } from "../../../ledger/instant.ts";
import { unhandled } from "../../../service/contract/errors.ts";
import { exchange } from "../../ask/exchange.ts";
import { runHook } from "../../ask/hook.ts";
import type { Target } from "../../fleet/file/notify-settings.ts";
import { linesOf, type Message, slackBody, webhookBody } from "./message.ts";

/** Sends one message to one target, once. Throws an error for people if the target did not take it. */
export type Deliver = (
  target: Exclude<Target, { way: "ping" }>,
  message: Message,
  signal: AbortSignal,
) => Promise<void>;

export interface Outside {
  /** Carries requests to others than the service, without anything of the service's. */
  readonly agent: Dispatcher;
  readonly folder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly now: () => Date;
}

/** How long a target may take to answer, and a command to end. */
const REQUEST_MS = 10_000;
const COMMAND_MS = MINUTE_MS;

export function delivering(outside: Outside): Deliver {
  return async (target, message, signal) => {
    const post = (url: string, body: string, headers: Readonly<Record<string, string>> = {}) => {
      const all = { "content-type": "application/json", ...headers };
      return exchange(outside.agent, url, { method: "POST", headers: all, body }, REQUEST_MS, signal);
    };
    switch (target.way) {
      case "webhook": {
        const body = webhookBody(message);
        const sent = outside.now();
        return post(target.url, body, {
          "webhook-id": message.id,
          "webhook-timestamp": String(Math.floor(sent.getTime() / 1000)),
          "webhook-signature": new Webhook(target.secret).sign(message.id, sent, body),
        });
      }
      case "slack":
        return post(target.url, slackBody(message));
      case "command":
        await runHook(
          {
            command: target.command,
            folder: outside.folder,
            environment: { ...withoutOurs(outside.environment), ...variablesOf(message) },
            input: `${webhookBody(message)}\n`,
            timeoutMs: COMMAND_MS,
          },
          signal,
        );
        return;
      default:
        return unhandled(target);
    }
  };
}

/** Tells a dead man's switch that the agent lives. */
export async function ping(agent: Dispatcher, url: string, signal: AbortSignal): Promise<void> {
  await exchange(agent, url, { method: "GET" }, REQUEST_MS, signal);
}

/** Keeps the service's credential and the page's token from a command. */
function withoutOurs(environment: Outside["environment"]): Outside["environment"] {
  return Object.fromEntries(
    Object.entries(environment).filter(([name]) => !/^FLEETKEEPER_(API_KEY|HTTP_TOKEN)(_FILE)?$/.test(name)),
  );
}

/** The message in short, for scripts that read no JSON. */
function variablesOf(message: Message): Record<string, string> {
  const all = (values: readonly (string | null)[]): string =>
    [...new Set(values.filter((value) => value !== null))].join(" ");
  return {
    FLEETKEEPER_ALERT_ID: message.id,
    FLEETKEEPER_ALERT_KINDS: all(message.alerts.map(({ kind }) => kind)),
    FLEETKEEPER_ALERT_FLEETS: all(message.alerts.map(({ fleet }) => fleet)),
    FLEETKEEPER_ALERT_DEPLOYMENTS: all(message.alerts.map(({ deployment }) => deployment)),
    FLEETKEEPER_ALERT_TEXT: linesOf(message).join("\n"),
  };
}
