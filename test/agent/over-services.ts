import { onTestFinished } from "vitest";
import type { WishInput } from "../../agent/fleet/wish/wish.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { MemoryLedger } from "../../ledger/memory/memory-ledger.ts";
import type { CatalogueOffer } from "../../simulator/index.ts";
import { VirtualClock } from "../../simulator/index.ts";
import type { Stage } from "../support/stage.ts";
import { H100, stage } from "../support/stage.ts";
import { SECOND } from "./on-stage.ts";

/** A fleet over several services of one ledger, with an agent for each. */
export interface World {
  readonly services: readonly Stage[];
  /** The most GPUs that lived at once over all services, by the simulators. */
  most: number;
  declare(wish: WishInput | undefined): Promise<void>;
  play(minutes: number): Promise<void>;
  gpus(): readonly number[];
}

export async function world(
  markets: readonly CatalogueOffer[],
  wish: WishInput,
  {
    atLeast,
    start = true,
    through = (ledger) => ledger,
  }: {
    readonly atLeast?: number;
    readonly start?: boolean;
    /** What moves shares between the accounts goes by this one. */
    readonly through?: (ledger: Ledger) => Ledger;
  } = {},
): Promise<World> {
  const clock = new VirtualClock();
  const ledger = new MemoryLedger("testledger00");
  const services: Stage[] = [];
  for (const [index, offer] of markets.entries()) {
    const made = await stage({
      ...{ clock, ledger, offers: [offer], seed: index + 1 },
      allAccounts: through(ledger),
    });
    services.push(made);
    onTestFinished(() => made.stop());
  }
  const gpus = () => services.map((each) => sum(each.alive().map((machine) => machine.gpus)));
  const made: World = {
    services,
    most: 0,
    gpus,
    declare: async (asked) => {
      for (const [index, each] of services.entries()) {
        const name = index === 0 ? "training" : `training@s${index}`;
        await each.declare(asked ? { [name]: asked } : {}, { [name]: { of: "training", atLeast } });
      }
    },
    play: async (minutes) => {
      for (let seconds = 0; seconds < minutes * 60; seconds += 5) {
        await clock.advance(5 * SECOND);
        made.most = Math.max(made.most, sum(gpus()));
      }
    },
  };
  await made.declare(wish);
  if (start) for (const each of services) each.start();
  return made;
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

let providers = 0;
/** Each of a provider of its own: what cools at one service cools for all of its accounts. */
export function at(pricePerHour: string, capacity = 100): CatalogueOffer {
  return { ...H100, provider: `p${++providers}`, pricePerHour, capacity };
}
