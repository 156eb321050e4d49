import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { z } from "zod";
import { FleetkeeperError } from "../../service/contract/errors.ts";
import type { Json } from "../../service/contract/service.ts";
import {
  type HttpRequest,
  type HttpResponse,
  type Transport,
  TransportError,
} from "../../service/contract/transport.ts";
import { isLoopback } from "../../service/http/loopback.ts";
import type { Environment } from "../../service/http/proxied-agent.ts";
import { createUndiciTransport } from "../../service/http/undici-transport.ts";
import { createRedaction } from "../../service/text/redaction.ts";
import type { AgentAddress } from "./agent-address.ts";
import { type Asked, saidOf, waitOf } from "./answer.ts";

/** One order, by the API's paths. */
export interface RemoteOrder {
  readonly method?: "POST" | "PUT" | "DELETE";
  /** Below `/api/v1`, such as `/fleets/training/pause`. */
  readonly path: string;
  readonly body?: { readonly [key: string]: Json | undefined };
  /** The same key again within a day is the same order. Default: a new one for this call. */
  readonly key?: string;
  /** Nothing is done: the answer says what would be. */
  readonly dryRun?: boolean;
}

/** The API of one account of an agent. `path`: below `/api/v1`. */
export interface AccountApi {
  read<T>(path: string, answers: z.ZodType<T>): Promise<T>;
  order<T>(order: RemoteOrder, answers: z.ZodType<T>): Promise<T>;
}

/** The API of one agent. */
export interface AgentClient {
  /** For texts. */
  readonly url: string;
  /** @param path below `/api/v1`. @param folder of one of several services, such as `/services/north`. */
  read<T>(path: string, answer: z.ZodType<T>, signal: AbortSignal, folder?: string): Promise<T>;
  /** Sent again where no answer came, with the same key: it is carried out once. */
  order<T>(order: RemoteOrder, answer: z.ZodType<T>, signal: AbortSignal, folder?: string): Promise<T>;
  close(): Promise<void>;
}

/** Of one request, when nothing that answers says otherwise. */
const TRIES = 3;
/** Before the second try, and twice as long before each later one. */
const FIRST_WAIT_MS = 500;

/** Method and address, which stand before what went wrong. */
const WHAT = /^[A-Z]+ \S+: /;

/**
 * The HTTP client of an agent's API. It throws FleetkeeperErrors with the code that the same mistake has beside the
 * ledger. No redirect is followed: the token would go along.
 */
export function createAgentClient(address: AgentAddress, environment: Environment): AgentClient {
  // What goes to this machine alone passes no proxy, which would read the token: 127.0.0.2 is in no list of theirs.
  const isHere = isLoopback(new URL(address.url).hostname);
  const { transport, close } = createUndiciTransport(isHere ? {} : { environment });
  return agentClientOver(address, transport, close);
}

/** The same, over what carries its requests. */
export function agentClientOver(
  { url, token, tokenBy }: AgentAddress,
  transport: Transport,
  close: () => Promise<void> = async () => undefined,
): AgentClient {
  const redact = createRedaction(token);

  const sent = async (request: HttpRequest, signal: AbortSignal): Promise<HttpResponse> => {
    for (let tries = 1; ; tries++) {
      const answer = await transport(request, signal).catch((error: unknown) => {
        signal.throwIfAborted();
        if (!(error instanceof TransportError)) throw error;
        return error;
      });
      const wait = tries === TRIES ? undefined : waitOf(answer);
      if (wait !== undefined)
        await sleep(wait === "a while" ? FIRST_WAIT_MS * 2 ** (tries - 1) : wait, undefined, { signal });
      else if (!(answer instanceof TransportError)) return answer;
      else {
        const cause = redact.cause(answer);
        throw new FleetkeeperError(
          "UNREACHABLE",
          `The agent at ${url} cannot be reached: ${cause.message.replace(WHAT, "")}. Is this its address, and does it run?`,
          { cause },
        );
      }
    }
  };

  const exchange = async <T>(
    asked: Omit<HttpRequest, "url" | "headers"> & { readonly path: string; readonly key?: string },
    answer: z.ZodType<T>,
    signal: AbortSignal,
    folder = "",
  ): Promise<T> => {
    const { method, path, key, body } = asked;
    const headers = {
      accept: "application/json",
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(key !== undefined && { "idempotency-key": key }),
      ...(body !== undefined && { "content-type": "application/json" }),
    };
    const at = `${folder}/api/v1${path}`;
    refuseDots(at);
    const response = await sent(
      { method, url: url + at, headers, ...(body !== undefined && { body }) },
      signal,
    );
    const what: Asked = {
      url,
      what: `${method} ${at.replace(/\?.*/s, "")}`,
      hasToken: token !== undefined,
      tokenBy,
      redact,
    };
    return saidOf(response, answer, what);
  };

  return {
    url,
    read: (path, answer, signal, folder) => exchange({ method: "GET", path }, answer, signal, folder),
    order: ({ method = "POST", path, body, key = randomUUID(), dryRun = false }, answer, signal, folder) =>
      exchange(
        {
          method,
          path: dryRun ? `${path}?dryRun=true` : path,
          ...(!dryRun && { key }),
          ...(body !== undefined && { body: JSON.stringify(body) }),
        },
        answer,
        signal,
        folder,
      ),
    close,
  };
}

/** A URL cannot say such a name: it would be the folder itself, or the one above, where another path begins. */
function refuseDots(path: string): void {
  const [dots] = path
    .replace(/\?.*/s, "")
    .split("/")
    .filter((part) => part === "." || part === "..");
  if (dots !== undefined)
    throw new FleetkeeperError(
      "CONFIG",
      `${dots}: there is nothing of this name, as no fleet, machine, file or service can have it.`,
      { status: 404 },
    );
}
