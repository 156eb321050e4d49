import { fromEnvironment } from "../../account/configuration.ts";
import { FleetkeeperError } from "../../service/contract/errors.ts";
import { isLoopback } from "../../service/http/loopback.ts";
import type { Environment } from "../../service/http/proxied-agent.ts";

/** The variables' names. With `_FILE` behind it, each names a file to read the value from. */
export const AGENT_ENVIRONMENT = { agent: "FLEETKEEPER_AGENT", token: "FLEETKEEPER_TOKEN" } as const;

/** Where an agent answers, and who asks. */
export interface AgentAddress {
  /** Of its page, without a slash at the end. */
  readonly url: string;
  /** Undefined: an agent that listens on this machine alone shows what it has to whoever is there, and takes no order. */
  readonly token: string | undefined;
  /** Where the token stands, for messages. Default: FLEETKEEPER_TOKEN. */
  readonly tokenBy?: string;
}

/** @param said what gave `url`, for messages, such as `--agent`. @throws FleetkeeperError CONFIG, CREDENTIAL. */
export function agentAddress(url: string, said: string, environment: Environment): AgentAddress {
  return { url: checkAgentUrl(url, said), token: checkToken(environment) };
}

/** It must be https, since every request may carry a token. Only a host that nobody else reaches may use http. */
function checkAgentUrl(text: string, said: string): string {
  const wrong = (problem: string): FleetkeeperError => new FleetkeeperError("CONFIG", `${said}: ${problem}`);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isOfWeb = url !== undefined && /^https?:$/.test(url.protocol) && /^https?:\/\//i.test(text);
  // Before anything shows it: a password may stand in what is no address, too.
  if (text.includes("@") && (!isOfWeb || url.username !== "" || url.password !== ""))
    throw wrong(
      `a user name or a password stands in this address. Take it out, and set ${AGENT_ENVIRONMENT.token}, or ${AGENT_ENVIRONMENT.token}_FILE to a file that holds the token.`,
    );
  // What follows it may be a token.
  const shown = text.replace(/[?#].*/s, "");
  if (!isOfWeb)
    throw wrong(
      `${JSON.stringify(shown)} is no address of an agent. Write it whole, such as https://keeper.example.com, or http://127.0.0.1:9470 on the agent's own machine.`,
    );
  if (url.search !== "" || url.hash !== "")
    throw wrong(`${shown} has a query or a fragment. Leave out everything from the ? or # on.`);
  if (url.protocol === "http:" && !isLoopback(url.hostname))
    throw wrong(
      `${shown} would send the token unencrypted, so that whoever is between can order with it. Write https://, with a proxy for TLS before the agent; http:// is for this machine alone (or for a tunnel to it: ssh -L 9470:127.0.0.1:9470 HOST).`,
    );
  const path = url.pathname.replace(/\/+$/, "");
  const [, page, inside] = /^(.*?)((?:\/services\/[^/]+)?\/api\/v1|\/services\/[^/]+)$/.exec(path) ?? [];
  if (inside !== undefined)
    throw wrong(
      `${shown} ends in ${inside}, which is a path in an agent. Write the address of its page: ${url.origin}${page}` +
        (inside.startsWith("/services/")
          ? `, and --service ${inside.split("/")[2]} for one of its services.`
          : "."),
    );
  return url.origin + path;
}

/** It is never in an argument, where other users of this machine would see it, and no message shows it. */
function checkToken(environment: Environment): string | undefined {
  const token = fromEnvironment(AGENT_ENVIRONMENT.token, environment);
  if (token === undefined || /^[\x21-\x7e]+$/.test(token)) return token;
  throw new FleetkeeperError(
    "CREDENTIAL",
    `${AGENT_ENVIRONMENT.token}: it holds a blank, a line break or another character that no token has. Expected the token alone, as fleetkeeper token create printed it.`,
  );
}
