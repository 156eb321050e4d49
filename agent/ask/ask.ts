import { once } from "node:events";
import { connect, isIP } from "node:net";
import type { Agent } from "undici";
import type { DeploymentRow } from "../../ledger/rows.ts";
import { addressOf } from "../fleet/wish/machine-address.ts";
import type { Answer, Question } from "../fleet/wish/machine-question.ts";
import { exchange, exchangeText, refusalOf } from "./exchange.ts";
import { askGpud } from "./gpud.ts";
import { type Hook, HookFailure, runHook } from "./hook.ts";
import { programOf } from "./programs.ts";

/** A machine of a fleet, or of a `Deployment`. */
export interface Asked {
  /** Absent: it is of no fleet. */
  readonly fleet?: string;
  /** Who declared it: `file:FLEET_FILE` and `program:FOLDER` are of this machine, and only they may have any program run here. */
  readonly source: string;
  readonly row: DeploymentRow;
}

/** Only a command needs no address. */
export type Asking = Omit<Question, "address"> & {
  readonly address?: string | undefined;
  /** The port of gpud. */
  readonly gpud?: number | undefined;
};

/** Asks one machine, once. Never throws: what cannot be asked is unknown. */
export type Ask = (asked: Asked, question: Asking, signal: AbortSignal) => Promise<Answer>;

export interface AskOptions {
  /** No agent that goes through proxies is one: a machine is asked directly. */
  readonly agent: Agent;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

const TIMEOUT_MS = 5_000;
const COMMAND_MS = 30_000;

/** What a command says of a machine by its exit code. Any other says nothing: ssh ends with 255 where it cannot connect. */
const BAD = 1;

export function asking({ agent, environment }: AskOptions): Ask {
  return async (asked, question, signal) => {
    const named = question.address;
    const address = named === undefined ? { host: undefined } : addressOf(asked.row, named);
    if ("problem" in address) return { kind: "unknown", why: address.problem };
    const { host } = address;
    const { command, gpud } = question;
    const get = [{ method: "GET" }, TIMEOUT_MS, signal] as const;
    try {
      if (command) await runCommand(asked, { command, host, timeoutMs: COMMAND_MS }, environment, signal);
      else if (host === undefined) return { kind: "unknown", why: "no connection detail says its address" };
      else if (gpud !== undefined)
        return await askGpud(
          exchangeText(agent, urlOf(host, { port: gpud, path: "/v1/states" }, "https"), ...get),
        );
      else if (question.tcp !== undefined)
        await tcp(host, question.tcp, AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]));
      else if (question.http) await exchange(agent, urlOf(host, question.http), ...get);
      return { kind: "good" };
    } catch (error) {
      return failed(error as NodeJS.ErrnoException);
    }
  };
}

/** A machine that answers with no is bad. One that does not answer is unknown. */
function failed(error: NodeJS.ErrnoException): Answer {
  const { message, code, name } = error;
  if (name === "AbortError" || name === "TimeoutError")
    return { kind: "unknown", why: `no answer within ${TIMEOUT_MS / 1000} s` };
  const isBad =
    error instanceof HookFailure
      ? error.exitCode === BAD
      : code === "ECONNREFUSED" || isRefused(error.cause) || refusalOf(error) !== undefined;
  return { kind: isBad ? "bad" : "unknown", why: message || code || name };
}

function isRefused(cause: unknown): boolean {
  return cause instanceof Error && (cause as NodeJS.ErrnoException).code === "ECONNREFUSED";
}

function urlOf(
  host: string,
  { port, path }: { readonly port: number; readonly path: string },
  scheme = "http",
): string {
  return `${scheme}://${isIP(host) === 6 ? `[${host}]` : host}:${port}${path}`;
}

async function tcp(host: string, port: number, signal: AbortSignal): Promise<void> {
  const socket = connect({ host, port, signal });
  try {
    await once(socket, "connect", { signal });
  } finally {
    socket.on("error", () => undefined);
    socket.destroy();
  }
}

export interface MachineCommand extends Pick<Hook, "keeps" | "onStart" | "endsWithUs"> {
  readonly command: readonly string[];
  /** Absent: no detail was named. */
  readonly host?: string | undefined;
  readonly timeoutMs: number;
  /** Beside what every command is given: FLEETKEEPER_... */
  readonly more?: Readonly<Record<string, string>>;
}

/** Runs a user's program about one machine, and gives what it said. Throws as `runHook` does, and for whoever may not run programs here. */
export async function runCommand(
  { fleet, source, row }: Asked,
  { command, host, timeoutMs, more, ...how }: MachineCommand,
  { PATH, HOME, FLEETKEEPER_COMMANDS }: AskOptions["environment"],
  signal: AbortSignal,
): Promise<string> {
  return runHook(
    {
      ...how,
      ...programOf(source, command, FLEETKEEPER_COMMANDS),
      environment: {
        PATH,
        HOME,
        FLEETKEEPER_ADDRESS: host,
        FLEETKEEPER_DEPLOYMENT: row.id.replaceAll("\0", ""),
        FLEETKEEPER_FLEET: fleet,
        ...more,
      },
      input: `${JSON.stringify({ deployment: row.id, fleet, connection: row.connection })}\n`,
      timeoutMs,
    },
    signal,
  );
}
