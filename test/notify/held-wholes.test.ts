import { Agent } from "undici";
import { afterAll, expect, onTestFinished, test } from "vitest";
import { resolveTargets } from "../../agent/fleet/file/notify-settings.ts";
import { resumeFleet } from "../../agent/fleet/phase/fleet-orders.ts";
import { delivering } from "../../agent/tell/notify/deliver.ts";
import type { Message } from "../../agent/tell/notify/message.ts";
import { shortText } from "../../agent/tell/notify/message.ts";
import { Notifier } from "../../agent/tell/notify/notifier.ts";
import { contextOf } from "../../launch/keeper.ts";
import { MemoryLedger } from "../../ledger/memory/memory-ledger.ts";
import type { HoldRow } from "../../ledger/rows.ts";
import { type CatalogueOffer, VirtualClock } from "../../simulator/index.ts";
import { SECOND } from "../agent/on-stage.ts";
import { H100, type Stage, stage } from "../support/stage.ts";
import { receiver } from "./receiver.ts";

const agent = new Agent();
afterAll(() => agent.destroy());
const environment = { SECRET: `whsec_${Buffer.alloc(32, 7).toString("base64")}` };
const deliver = delivering({ agent, folder: ".", environment, now: () => new Date() });

const HELD: readonly HoldRow[] = [{ kind: "refusedAll", numbers: { places: 3 } }];

/** Three places of a service of their own, at this price. */
function places(provider: string, pricePerHour: string): readonly CatalogueOffer[] {
  return ["one", "two", "three"].map((offer) => ({ ...H100, offer, provider, pricePerHour }));
}

interface World {
  readonly services: Readonly<Record<"north" | "south", Stage>>;
  readonly ledger: MemoryLedger;
  /** As an agent's tick would have left it: these hold its part, and nothing can be had there. */
  hold(service: "north" | "south", holds: readonly HoldRow[]): Promise<void>;
  tell(): Promise<void>;
  /** Has a service refuse all launches, or take them again. */
  refuse(service: "north" | "south", isRefused?: boolean): void;
  play(minutes: number): Promise<void>;
  /** What people were told of launches that are held. */
  told(): readonly Pick<Message["alerts"][number], "name" | "fleet" | "text">[];
}

/** A fleet over two services, the second one the cheaper. Each account has an agent and the same webhook. */
async function world(gpus = 16): Promise<World> {
  const clock = new VirtualClock();
  const ledger = new MemoryLedger("testledger00");
  const hook = await receiver();
  const targets = resolveTargets([{ webhook: hook.url, secret: { env: "SECRET" } }], environment);
  const make = async (name: string, price: string, seed: number): Promise<Stage> => {
    const on = await stage({ clock, ledger, offers: [...places(`p${name}`, price)], seed });
    onTestFinished(() => on.stop());
    return on;
  };
  const services = { north: await make("north", "20", 1), south: await make("south", "16", 2) };
  const wish = { gpus, select: { gpuModel: "H100" } };
  await services.north.declare({ training: wish }, { training: { of: "training", service: "north" } });
  const part = { of: "training", service: "south" };
  await services.south.declare({ "training@south": wish }, { "training@south": part });
  const notifiers = Object.values(services).map(({ keeper }) => {
    const quiet = { ping: async () => undefined, say: () => undefined, show: shortText };
    const notifier = new Notifier({ keeper, deliver, ...quiet });
    notifier.targets = targets;
    return notifier;
  });
  const tell = async (): Promise<void> => {
    await Promise.all(notifiers.map((notifier) => notifier.prepare()));
    for (const notifier of notifiers) notifier.pump();
    await Promise.all(notifiers.map((notifier) => notifier.settled()));
  };
  await tell();
  return {
    services,
    ledger,
    tell,
    hold: async (service, holds) => {
      const { keeper } = services[service];
      const now = clock.now();
      await ledger.decide(keeper.account, (draft) => {
        const agent = { process: keeper.clock.self, beat: keeper.clock.now(), host: "here" };
        draft.putAccount({ ...draft.account, agent });
        for (const fleet of draft.fleets.values())
          if (fleet.part)
            draft.putFleet({
              ...fleet,
              holds,
              part: { ...fleet.part, offered: { at: now, costs: [], sizes: [] } },
            });
      });
    },
    refuse: (service, isRefused = true) =>
      services[service].simulator.control.faults.chance("launch", [
        { fault: { kind: "errorBefore", status: 404 }, probability: isRefused ? 1 : 0 },
      ]),
    play: async (minutes) => {
      for (let seconds = 0; seconds < minutes * 60; seconds += 15) {
        await clock.advance(15 * SECOND);
        await tell();
      }
    },
    told: () =>
      hook.received
        .flatMap(({ body }) => (JSON.parse(body) as { data: Pick<Message, "alerts"> }).data.alerts)
        .filter(({ kind }) => kind === "held")
        .map(({ name, fleet, text }) => ({ name, fleet, text })),
  };
}

function start({ services }: World): void {
  for (const each of Object.values(services)) each.start();
}

test("nobody is told that a service is held while another one launches what the fleet lacks, and once that has all", async () => {
  const on = await world();
  on.refuse("south");
  start(on);
  await on.play(30);
  expect(on.services.north.alive()).toHaveLength(2);
  const [part] = (await on.ledger.read(on.services.south.keeper.account)).fleets;
  expect(on.services.south.simulator.truth().launches.length).toBeGreaterThan(2);
  expect(part?.name).toBe("training@south");
  expect(on.told()).toEqual([]);
});

test("a fleet of which no service gives anything is told once, by its own name, and which services are held", async () => {
  const on = await world();
  on.refuse("south");
  on.refuse("north");
  start(on);
  await on.play(45);
  expect(on.told()).toEqual([
    { name: "training", fleet: "training", text: expect.stringMatching(/^(north|south): .*3 combinations/) },
  ]);
});

test("where the first service has no agent, the second one's tells it, with its name", async () => {
  const on = await world();
  on.refuse("south");
  on.services.south.start();
  await on.play(45);
  expect(on.told()).toMatchObject([{ name: "training", fleet: "training" }]);
  expect(on.told()[0]?.text).toMatch(/^south: /);
});

test("it is an event again where somebody has resumed it, and it is held again", async () => {
  const on = await world();
  on.refuse("south");
  on.services.south.start();
  await on.play(30);
  const { keeper } = on.services.south;
  const events = async (): Promise<number> => {
    const all = await on.ledger.events(keeper.account, 1_000);
    return all.filter(({ kind }) => kind === "held").length;
  };
  expect(await events()).toBe(1);
  await on.ledger.decide(keeper.account, (draft) => {
    resumeFleet(draft, "training@south", contextOf(keeper));
  });
  await on.play(20);
  expect(await events()).toBe(2);
});

test("agents that look at the same moment tell it once, with all services that are held", async () => {
  const on = await world();
  await on.hold("north", HELD);
  await on.hold("south", HELD);
  await on.tell();
  expect(on.told()).toMatchObject([{ name: "training", text: expect.stringMatching(/^north: .*; south: /) }]);
});

test("what the first service's agent has told the second one's does not tell again, where that alone is held by then", async () => {
  const on = await world();
  await on.hold("north", HELD);
  await on.hold("south", HELD);
  await on.tell();
  await on.hold("north", []);
  await on.tell();
  expect(on.told()).toHaveLength(1);
});

test("control: the second one's agent tells it where the first one was never held", async () => {
  const on = await world();
  await on.hold("north", []);
  await on.hold("south", HELD);
  await on.tell();
  expect(on.told()).toMatchObject([{ name: "training", text: expect.stringMatching(/^south: /) }]);
});

test("nobody is told where the fleet has all that it wants", async () => {
  const on = await world(0);
  await on.hold("north", HELD);
  await on.hold("south", HELD);
  await on.tell();
  expect(on.told()).toEqual([]);
});
