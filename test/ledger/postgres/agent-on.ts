import { expect, onTestFinished } from "vitest";
import { openKeeper } from "../../../account/open.ts";
import { declareFleets } from "../../../agent/fleet/declare/declare-fleets.ts";
import { wishSchema } from "../../../agent/fleet/wish/wish.ts";
import { runLoop } from "../../../agent/reconcile/loop.ts";
import type { Keeper } from "../../../launch/keeper.ts";
import type { SettingsInput } from "../../../simulator/index.ts";
import type { Simulation } from "../../../simulator/simulation.ts";
import { until } from "../../cli/cli.ts";

const PROTOCOL = { poll: 1_000, settle: 1_500, postTimeout: 30_000, gone: 3_000 };
/** Machines run at once. */
export const QUICKLY: SettingsInput = {
  initializingSeconds: [0, 0],
  provisioningSeconds: [0, 0],
  connectingSeconds: [0.25, 0.25],
};
const CANDIDATE = { offer: "h100-80gb-x1", provider: "aurora", location: "fi-hel", gpus: 1 };
const SOURCE = "file:fleet.yaml";

/** An agent whose lists can be held back. */
export async function agentOn(url: string, { simulator, apiKey, profilePath, url: baseUrl }: Simulation) {
  const { signal } = new AbortController();
  const opened = await openKeeper(
    { baseUrl, apiKey, profile: profilePath, account: "exclusive", ledger: url },
    signal,
    {},
    PROTOCOL,
  );
  let gate = Promise.resolve();
  let underWay = 0;
  let waiting = 0;
  const service: Keeper["service"] = Object.assign(Object.create(opened.service), {
    deployments: async (listing: AbortSignal) => {
      waiting += 1;
      await gate;
      waiting -= 1;
      underWay += 1;
      try {
        return await opened.service.deployments(listing);
      } finally {
        underWay -= 1;
      }
    },
  });
  const keeper: Keeper = { ...opened, service };
  const ending = new AbortController();
  const said: string[] = [];
  const ended = runLoop(
    {
      ...{ keeper, host: "test", onTick: () => undefined },
      onError: ({ code, message }) => said.push(`${code}: ${message}`),
    },
    ending.signal,
  );
  const rows = () => opened.ledger.read(opened.account);
  onTestFinished(async () => {
    ending.abort();
    await ended;
    await opened.close();
  });
  const isKept = async (gpus: number): Promise<boolean> => {
    const { account, deployments } = await rows();
    return (
      !account.restored &&
      deployments.filter(({ owner, end }) => owner === "fleet:web" && end === null).length === gpus
    );
  };
  return {
    /** The errors that it met, with their codes. */
    said,
    want: (gpus: number) =>
      declareFleets(keeper, SOURCE, () => [
        { name: "web", source: SOURCE, wish: wishSchema.parse({ gpus, candidates: [CANDIDATE] }) },
      ]),
    /** The ledger has as many machines for the fleet, or more than that were launched. */
    keeps: (gpus: number): Promise<void> =>
      expect
        .poll(async () => simulator.truth().launches.length > gpus || (await isKept(gpus)), { interval: 50 })
        .toBe(true),
    /** A list is held back. */
    waits: () => until("a list is held back", () => waiting > 0),
    /** No list is under way, and none begins before what this gives is called. */
    hold: async (): Promise<() => void> => {
      const { promise, resolve } = Promise.withResolvers<void>();
      gate = promise;
      await until("no list is under way", () => underWay === 0);
      return resolve;
    },
  };
}
