import { expect, it } from "vitest";
import type { LaunchWish } from "../../launch/admit/rule.ts";
import type { Keeper } from "../../launch/keeper.ts";
import { SLOT_RULES } from "../../launch/people/slot.ts";
import { launch, takeList } from "../../launch/protocol.ts";
import type { Clock } from "../../ledger/instant.ts";
import { LedgerTime } from "../../ledger/ledger-time.ts";
import { FLEET, OSLO } from "./bench.ts";
import { keeperOn, SIGNAL } from "./fake-service.ts";

const EPOCH = { number: 1, since: 0, server: "one" };

/** Two hosts on one ledger. The wall clocks are 5 minutes apart, and the second one's monotonic clock is 1 % fast. */
function hosts(counts: "on the ledger's clock" | "on each host's own") {
  const { bench, service } = keeperOn();
  let time = 1_700_000_000_000;
  const keeperAt = (host: string, pid: number, ahead: number, rate: number): Keeper => {
    const mono = (): number => (time - 1_600_000_000_000 + ahead) * rate;
    const local: Clock = {
      self: { boot: host, pid, started: "0" },
      now: () => ({ wall: time + ahead, mono: Math.round(mono()), boot: host }),
      sleep: async () => undefined,
      isAlive: ({ boot }) => boot === host,
    };
    const known = new LedgerTime(mono);
    const ask = (): void => {
      const answered = known.ask();
      const shown = { time, server: "one" };
      time += 1;
      answered(shown);
      expect(known.needsEpoch(EPOCH, "one")).toBe(false);
    };
    ask();
    const { keeper } = keeperOn(bench, service, pid);
    return {
      ...keeper,
      ledger: Object.assign(Object.create(keeper.ledger), {
        decide: (account: string, decision: Parameters<typeof keeper.ledger.decide>[1]) => {
          ask();
          return bench.ledger.decide(account, decision);
        },
      }),
      clock: counts === "on the ledger's clock" ? known.clock(local) : local,
    };
  };
  return {
    service,
    pass: (ms: number) => (time += ms),
    one: keeperAt("one", 1, 5 * 60_000, 1),
    beside: keeperAt("one", 2, 5 * 60_000, 1),
    other: keeperAt("other", 3, 0, 1.01),
  };
}

function wish(): LaunchWish {
  const rest = {
    owner: FLEET,
    gpus: 8,
    pricePerHour: "20.0000",
    parameters: {},
    limits: {},
    rules: SLOT_RULES,
  };
  return { ...OSLO, ...rest };
}

/**
 * The first host's POST is under way for 120 s. Its machine is made then, and is listed 100 s after that. Meanwhile
 * both hosts list every second, and the second one wants the machine, too.
 */
async function story(counts: Parameters<typeof hosts>[0]): Promise<number> {
  const { service, one, beside, other, pass } = hosts(counts);
  let lose: () => void = () => undefined;
  service.onLaunch = () =>
    new Promise((resolve) => {
      lose = () => resolve({ kind: "unknown", reason: "timeout" });
    });
  await takeList(one, SIGNAL);
  const sent = launch(one, wish());
  while (service.posts.length === 0) await new Promise((resolve) => setImmediate(resolve));
  service.onLaunch = () => service.make();
  for (let second = 0; second < 300; second++) {
    if (second === 120) {
      lose();
      await sent;
    }
    if (second === 220) service.make();
    await takeList(beside, SIGNAL);
    pass(490);
    await takeList(other, SIGNAL);
    pass(490);
    await launch(other, wish());
  }
  return service.posts.length;
}

it("two hosts that list in turn do not shorten the time in which a launch is looked for", async () => {
  expect(await story("on the ledger's clock")).toBe(1);
});

it("by their own clocks they would: this is what the ledger's clock is for", async () => {
  expect(await story("on each host's own")).toBe(2);
});
