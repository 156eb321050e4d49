import { onTestFinished } from "vitest";
import type { Simulator } from "../../simulator/index.ts";
import { createSimulator } from "../../simulator/index.ts";
import { StoppableClock } from "../support/stoppable-clock.ts";
import type { Place } from "./cli.ts";
import { KEY, place } from "./cli.ts";

const DUNE_KEY = "sk-live-Zq82-never-print-me";
/** The file names the services, and nothing else does. */
export const NAMED = {
  FLEETKEEPER_BASE_URL: undefined,
  FLEETKEEPER_PROFILE: undefined,
  FLEETKEEPER_ACCOUNT: undefined,
  FLEETKEEPER_API_KEY: undefined,
  FLEETKEEPER_HTTP: "127.0.0.1:0",
};

export interface Two {
  /** Its simulator is that of the service acme. */
  readonly on: Place;
  readonly dune: Simulator;
  readonly duneUrl: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Two services with an account each, and a ledger for both. */
export async function two(): Promise<Two> {
  const on = await place();
  const dune = createSimulator({ apiKey: DUNE_KEY, seed: 8, clock: new StoppableClock(60) });
  onTestFinished(() => dune.close());
  const { url: duneUrl } = await dune.listen();
  const env = { ...NAMED, ACME_KEY: KEY, DUNE_KEY };
  return { on, dune, duneUrl, env };
}

export function serviceLine(name: string, baseUrl: string, profile: string, key: string): string {
  return `  ${name}: { baseUrl: "${baseUrl}", profile: "${profile}", account: exclusive, apiKey: { env: ${key} } }\n`;
}

const MACHINES = "candidates: [{ offer: h100-80gb-x8, provider: aurora, location: fi-hel, gpus: 8 }]";

export function fleetLine(name: string, service: string, gpus: number): string {
  return `  - { name: ${name}, service: ${service}, gpus: ${gpus}, ${MACHINES} }\n`;
}

export function writeFleets(
  { on, duneUrl }: Two,
  {
    acme = 8,
    dune = 8,
    profile = "",
    url = duneUrl,
    more = "",
  }: { acme?: number; dune?: number; profile?: string; url?: string; more?: string } = {},
): void {
  const usual = on.env.FLEETKEEPER_PROFILE ?? "";
  on.write(
    "fleet.yaml",
    `services:\n${serviceLine("acme", on.url, usual, "ACME_KEY")}${serviceLine("dune", url, profile || usual, "DUNE_KEY")}` +
      `fleets:\n${fleetLine("training", "acme", acme)}${fleetLine("notebooks", "dune", dune)}${more}`,
  );
}

export function runs(simulator: Simulator): number {
  return simulator
    .truth()
    .machines.filter(({ endedAt, states }) => endedAt === null && states.at(-1)?.state === "running").length;
}

export async function pageOf(agent: ReturnType<Place["start"]>): Promise<string> {
  const said = await agent.shows("status page: ");
  return /status page: (\S+)/.exec(said)?.[1] ?? "";
}
