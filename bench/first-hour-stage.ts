import { learn } from "../launch/facts/context.ts";
import { contextOf } from "../launch/keeper.ts";
import type { Combination } from "../service/contract/contract.ts";
import type { CatalogueOffer } from "../simulator/index.ts";
import { Prng } from "../simulator/prng.ts";
import { type Stage, stage } from "../test/support/stage.ts";

/** Machines of 8 GPUs: 1,000 GPUs. */
export const MACHINES = 125;
const SECOND = 1_000;
/** Each combination cools for one minute of five, at its own time: 20% of them at any time. */
const COOLS_FOR = 60;
const CYCLE = 300;
/** Of the launches: half of them were carried out. */
const LOST = 0.05;

/** 50 combinations at different prices, with room for 5 machines each. */
export const OFFERS: readonly CatalogueOffer[] = ["h100-8", "h100-8-nvl"].flatMap((offer) =>
  ["north", "south", "east", "west", "mid"].flatMap((provider) =>
    ["oslo", "rome", "porto", "riga", "cork"].map((location): CatalogueOffer => {
      const pricePerHour = (16 + new Prng(`${offer} ${provider} ${location}`).integer(0, 800) / 100).toFixed(
        4,
      );
      return { offer, provider, location, gpus: 8, gpuModel: "H100", pricePerHour, capacity: 5 };
    }),
  ),
);

export type Told = "marker" | "combination";

/** A service on a bad hour. An agent has kept the account for a while, and nothing runs in it. */
export async function badHour(told: Told, seed: number): Promise<Stage> {
  const dialect = told === "marker" ? "plain" : "nested";
  const on = await stage({ dialect, seed, offers: OFFERS, balance: "1000000.0000", latencyMs: 100 });
  await on.keeper.ledger.decide(on.keeper.account, (draft) => {
    const shown = told === "marker" ? ["marker"] : OFFERS.flatMap(fieldsOf);
    learn(draft, contextOf(on.keeper).wire.profileHash, { proven: true, shown });
  });
  const { control } = on.simulator;
  control.faults.chance("launch", [
    { fault: { kind: "dropBefore" }, probability: LOST / 2 },
    { fault: { kind: "dropAfter" }, probability: LOST / 2 },
  ]);
  const random = new Prng(`cooling ${seed}`);
  for (const { offer, provider, location } of OFFERS)
    void cooling({ offer, provider, location }, random.integer(0, CYCLE - 1));
  return on;

  async function cooling(combination: Combination, since: number): Promise<void> {
    if (since < COOLS_FOR) control.cooldown(combination, COOLS_FOR - since);
    await on.clock.sleep((CYCLE - since) * SECOND);
    for (;;) {
      control.cooldown(combination, COOLS_FOR);
      await on.clock.sleep(CYCLE * SECOND);
    }
  }
}

function fieldsOf({ offer, provider, location }: Combination): readonly string[] {
  return [`offer=${offer}`, `provider=${provider}`, `location=${location}`];
}

/** Seconds from `begun` until so many machines run. */
export async function secondsUntil(on: Stage, machines: number, begun: number): Promise<number> {
  while (on.alive().filter(({ state }) => state === "running").length < machines)
    await on.clock.advance(SECOND);
  return (on.clock.now() - begun) / SECOND;
}
