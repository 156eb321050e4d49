import { once } from "node:events";
import { connect, isIP } from "node:net";
import { dirname } from "node:path";
import type { Agent } from "undici";
import type { DeploymentRow } from "../../../ledger/rows.ts";
import type { CheckedFleet, Finding } from "../../planning/readiness.ts";
import { exchange } from "../exchange.ts";
import { runHook } from "../hook.ts";

/** Checks one machine of a fleet, once. Never throws. */
export type Check = (fleet: CheckedFleet, row: DeploymentRow, signal: AbortSignal) => Promise<Finding>;

export interface CheckOptions {
  /** No agent that goes through proxies is one: a machine is asked directly. */
  readonly agent: Agent;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

const TIMEOUT_MS = 5_000;
const COMMAND_MS = 30_000;

export function checking({ agent, environment }: CheckOptions): Check {
  return async (fleet, row, signal) => {
    const { ready } = fleet;
    const address = row.connection?.[ready.address];
    if (address === undefined) {
      return (
        `it shows no connection detail "${ready.address}". Map it in the wire profile as ` +
        `deployments.fields.connection.${ready.address} (not as a secret one), or correct ready.address`
      );
    }
    // The service sends this text, and it becomes part of a URL or an argument.
    if (!isAddress(address)) return `its connection detail "${ready.address}" is no host name or IP address`;
    try {
      if (ready.tcp !== undefined)
        await tcp(address, ready.tcp, AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]));
      else if (ready.http)
        await exchange(agent, urlOf(address, ready.http), { method: "GET" }, TIMEOUT_MS, signal);
      else await command(fleet, row, address, environment, signal);
      return undefined;
    } catch (error) {
      const { message, code, name } = error as NodeJS.ErrnoException;
      return name === "AbortError" || name === "TimeoutError"
        ? `no answer within ${TIMEOUT_MS / 1000} s`
        : message || code || name;
    }
  };
}

function isAddress(text: string): boolean {
  return isIP(text) !== 0 || (text.length <= 253 && /^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/i.test(text));
}

function urlOf(host: string, { port, path }: { readonly port: number; readonly path: string }): string {
  return `http://${isIP(host) === 6 ? `[${host}]` : host}:${port}${path}`;
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

/** Only for fleets in a file of this machine: others who declare fleets must not run programs here. */
async function command(
  { name, source, ready }: CheckedFleet,
  row: DeploymentRow,
  address: string,
  environment: CheckOptions["environment"],
  signal: AbortSignal,
): Promise<void> {
  if (!source.startsWith("file:")) throw new Error("commands are run for fleets of a fleet file only");
  const { PATH, HOME } = environment;
  await runHook(
    {
      command: ready.command ?? [],
      folder: dirname(source.slice("file:".length)),
      environment: {
        PATH,
        HOME,
        FLEETKEEPER_ADDRESS: address,
        FLEETKEEPER_DEPLOYMENT: row.id.replaceAll("\0", ""),
        FLEETKEEPER_FLEET: name,
      },
      input: `${JSON.stringify({ deployment: row.id, fleet: name, connection: row.connection })}\n`,
      timeoutMs: COMMAND_MS,
    },
    signal,
  );
}
