import { expect, onTestFinished, test } from "vitest";
import { declareFleets } from "../../agent/fleet/declare/declare-fleets.ts";
import { MemoryLedger } from "../../ledger/memory/memory-ledger.ts";
import type { Properties } from "../../provider/kinds.ts";
import { wish } from "../../provider/kinds.ts";
import { UNKNOWN } from "../../provider/runtime/inputs/unknown.ts";
import { type CatalogueOffer, VirtualClock } from "../../simulator/index.ts";
import { MINUTE, SECOND } from "../agent/on-stage.ts";
import { H100, type Stage, stage } from "../support/stage.ts";
import { deskOn } from "./support.ts";

const SOURCE = "file:fleet.yaml";

interface World {
  readonly clock: VirtualClock;
  readonly ledger: MemoryLedger;
  readonly services: Readonly<Record<string, Stage>>;
  /** What a preview of a new fleet says. The stack has the key of the first service. */
  preview(args: Properties): Promise<string>;
}

interface Market {
  readonly offers: readonly CatalogueOffer[];
  readonly gpuModels?: Readonly<Record<string, readonly string[]>>;
  /** Its agent has declared it and does not run. */
  readonly isUnread?: true;
}

async function world(markets: Readonly<Record<string, Market>>): Promise<World> {
  const clock = new VirtualClock();
  const ledger = new MemoryLedger("testledger00");
  const services: Record<string, Stage> = {};
  for (const [index, [name, { offers, gpuModels, isUnread }]] of Object.entries(markets).entries()) {
    const made = await stage({ clock, ledger, offers: [...offers], seed: index + 1 });
    services[name] = made;
    onTestFinished(() => made.stop());
    const service = { name, ...(gpuModels && { gpuModels }) };
    await declareFleets(made.keeper, SOURCE, () => [], { service });
    if (!isUnread) made.start();
  }
  const [first] = Object.values(services) as [Stage];
  await clock.advance(10 * SECOND);
  return {
    clock,
    ledger,
    services,
    async preview(args) {
      const desk = deskOn(first);
      const asked = { gpus: 16, select: { gpuModel: "H100" }, services: Object.keys(markets), ...args };
      const named = { name: "training", label: "project/dev/training", source: UNKNOWN, ledger: UNKNOWN };
      const { failures } = await clock.run(wish.check(desk, { ...named, ...asked }));
      return [...failures.map(({ reason }) => `refused: ${reason}`), ...desk.lines].join("\n");
    },
  };
}

let providers = 0;
/** Of a provider of its own: what cools at one service cools for all accounts of its address. */
function at(pricePerHour: string, more: Partial<CatalogueOffer> = {}): CatalogueOffer {
  return { ...H100, provider: `q${++providers}`, pricePerHour, ...more };
}

test("the price is that of the cheapest over all services, and each says what it gives", async () => {
  const on = await world({ north: { offers: [at("20")] }, south: { offers: [at("16")] } });
  const said = await on.preview({});
  expect(said).toContain("the 16 GPUs that it lacks would cost 32.00 USD an hour over all services");
  expect(said).toMatch(
    /south gives 16 GPUs, 2 x h100-8 @ q\d+\/oslo \(16.00 USD an hour each\): 32.00 USD an hour together; a launch reserves the first hour$/m,
  );
  expect(said).toContain(
    "north gives nothing: 16 GPUs could be had there for 40.00 USD an hour, and others were chosen",
  );
});

test("it is within the spread and the limits of the whole, by worth and by each service's own names", async () => {
  const h200 = { offer: "h200-8", gpuModel: "NVIDIA H200" };
  const on = await world({
    north: { offers: [at("16")] },
    south: { offers: [at("20", h200)], gpuModels: { H200: ["NVIDIA H200"] } },
  });
  const both = { select: { gpuModel: ["H100", "H200"], worth: { H200: "1.5" } } };
  expect(await on.preview(both)).toContain("would cost 40.00 USD an hour over all services");
  const within = await on.preview({ ...both, budget: { perHour: "36" } });
  expect(within).toContain("would cost 36.00 USD an hour over all services");
  expect(within).toMatch(/north gives 8 GPUs, .*\n.*south gives 8 GPUs, /);
  expect(await on.preview({ spread: { atLeast: 2 } })).toContain(
    "8 of the 16 GPUs that it lacks would cost 16.00 USD an hour over all services",
  );
  expect(await on.preview({ ...both, budget: { perHour: "10" } })).toContain(
    "nothing is known that could be launched now of the 16 GPUs that it lacks",
  );
});

test("old prices of others are told with their age, and the stack's own are asked for", async () => {
  const [dear, cheap] = [at("20"), at("16")];
  const on = await world({ north: { offers: [dear] }, south: { offers: [cheap] } });
  on.services.north?.simulator.control.setPrice(dear, "15");
  on.services.south?.simulator.control.setPrice(cheap, "14");
  await on.clock.advance(4 * MINUTE);
  const said = await on.preview({});
  expect(said).toMatch(
    /north gives 16 GPUs, .*: 30.00 USD an hour together; a launch reserves the first hour$/m,
  );
  expect(said).toMatch(/south gives nothing: .* 32.00 USD .*; by what its agent saw 4m\d+s ago$/m);
  await on.clock.advance(12 * MINUTE);
  expect(await on.preview({})).toMatch(/south gives 16 GPUs, .*: 28.00 USD an hour together/);
});

test("a service whose offers no agent has read is named, and the price is over the others", async () => {
  const on = await world({
    north: { offers: [at("20")] },
    south: { offers: [at("16")] },
    west: { offers: [at("1")], isUnread: true },
  });
  const said = await on.preview({});
  expect(said).toContain("would cost 32.00 USD an hour over all services");
  expect(said).toContain("west is not in this price: no agent has left its offers in the ledger yet");
});

test("where the stack's own service cannot be asked, what its agent saw last counts", async () => {
  const on = await world({ north: { offers: [at("15")] }, south: { offers: [at("16")] } });
  on.services.north?.simulator.control.faults.next("offers", { kind: "errorBefore", status: 400 });
  const said = await on.preview({});
  expect(said).toContain("what can be had cannot be asked just now");
  expect(said).toMatch(/north gives 16 GPUs, .*: 30.00 USD an hour together/);
});

test("what runs already in an exclusive account is named and taken, and the price is that of the rest", async () => {
  const [dear, cheap] = [at("20"), at("16")];
  const on = await world({ north: { offers: [dear] }, south: { offers: [cheap] } });
  const there = on.services.north?.simulator.control.launchByHand(dear);
  const other = on.services.south?.simulator.control.launchByHand(cheap);
  await on.clock.advance(MINUTE);
  const said = await on.preview({ gpus: 24 });
  for (const id of [there, other])
    expect(said).toMatch(
      new RegExp(`training: takes ${id}, which (is \\w+|runs) already in this exclusive account: 8 GPUs, `),
    );
  expect(said).toContain("the 8 GPUs that it lacks would cost 16.00 USD an hour over all services");
  expect(said).toContain("costs 52.00 USD an hour for 24 GPUs");
});

test("two currencies are refused once each account was opened", async () => {
  const on = await world({ north: { offers: [at("20")] }, south: { offers: [at("16")] } });
  const { ledger, account } = on.services.south!.keeper;
  await ledger.decide(account, (draft) => draft.putAccount({ ...draft.account, currency: "EUR" }));
  const said = await on.preview({});
  expect(said).toContain("refused: nothing is launched: its services count in several currencies");
  expect(said).not.toContain("an hour");
});

test("a preview writes nothing", async () => {
  const on = await world({ north: { offers: [at("20")] }, south: { offers: [at("16")] } });
  const commits = on.ledger.commits;
  await on.preview({});
  expect(on.ledger.commits).toBe(commits);
  for (const { key } of await on.ledger.accounts()) expect((await on.ledger.read(key)).fleets).toEqual([]);
});
