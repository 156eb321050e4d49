import { expect, onTestFinished, test } from "vitest";
import { momentsIn } from "../../agent/fleet/text/format.ts";
import { runLoop } from "../../agent/reconcile/loop.ts";
import { watch } from "../../agent/tell/http/index.ts";
import { baseOf, startServicesServer } from "../../agent/tell/http/services.ts";
import { openSqliteLedger } from "../../ledger/sqlite/sqlite-ledger.ts";
import { VirtualClock } from "../../simulator/index.ts";
import { H100, stage } from "../support/stage.ts";

const WISH = { gpus: 24, select: { gpuModel: "H100" }, budget: { perHour: "80" } };

/** One agent with two accounts, each of which has one machine of 8 GPUs for a fleet of 24. */
async function pages() {
  const clock = new VirtualClock();
  const ledger = openSqliteLedger({ path: ":memory:", newId: "testledger00", now: clock.now() });
  const aborting = new AbortController();
  const services = new Map();
  for (const [index, name] of ["north", "south"].entries()) {
    const offer = { ...H100, provider: `of-${name}`, capacity: 1 };
    const made = await stage({ clock, ledger, offers: [offer], seed: index + 1 });
    const fleet = index === 0 ? "training" : "training@south";
    await made.declare({ [fleet]: WISH }, { [fleet]: { of: "training", service: name } });
    const hide = (text: string) => text.replaceAll("sold out", "[secret]");
    const watched = watch({
      keeper: made.keeper,
      history: ledger,
      version: "1",
      moments: momentsIn("UTC"),
      hide,
    });
    services.set(name, { pages: watched.pages(baseOf(name)) });
    const loop = runLoop(
      { keeper: watched.keeper, host: "test", onTick: watched.onTick, onError: watched.onError },
      aborting.signal,
    );
    onTestFinished(async () => {
      aborting.abort();
      await loop.catch(() => undefined);
      await watched.close();
      await made.stop();
    });
  }
  const server = await startServicesServer({
    address: { host: "127.0.0.1", port: 0 },
    token: undefined,
    services,
  });
  onTestFinished(() => server.close());
  for (let seconds = 0; seconds < 900; seconds += 5) await clock.advance(5_000);
  const get = async (path: string) => (await fetch(new URL(path, server.url))).text();
  return { clock, get };
}

test("the list of services and each account's page show a fleet over several as one, and judge no part of it", async () => {
  const { get } = await pages();
  const list = await get("");
  expect(list).toContain("Fleets over several services");
  expect(list).toContain("<strong>16 of 24 GPUs</strong>");
  // Of both, and with the secrets of each hidden.
  expect(list.match(/gives no more: .*?\[secret\]/g)).toHaveLength(2);
  expect(list).not.toContain("sold out");
  const south = await get("services/south/");
  expect(south).toContain("training lacks 8 of 24 GPUs over its services.");
  expect(south).not.toContain("training@south lacks");
  // Why north gives nothing stands on its own page: only its agent knows what is secret there.
  expect(south.match(/gives no more: /g)).toHaveLength(1);
  const north = await get("services/north/");
  expect(north).not.toMatch(/<strong>training lacks \d+ of \d+ GPUs\.</);
  for (const metrics of [await get("services/north/metrics"), await get("services/south/metrics")]) {
    expect(metrics).toContain('fleetkeeper_whole_desired_gpus{fleet="training"} 24');
    expect(metrics).toContain('fleetkeeper_whole_running_gpus{fleet="training"} 16');
  }
  expect(await get("services/south/metrics")).toContain(
    'fleetkeeper_fleet_part{fleet="training@south",whole="training"} 1',
  );
});
