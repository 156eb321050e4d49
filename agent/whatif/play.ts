import { readFileSync } from "node:fs";
import type { Draft } from "../../ledger/draft.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS } from "../../ledger/instant.ts";
import { readDraft } from "../../ledger/read-draft.ts";
import type { Owner } from "../../ledger/rows.ts";
import type { Billing } from "../../service/contract/billing.ts";
import { combinationKey } from "../../service/contract/contract.ts";
import { readProfile } from "../../service/profile/profile-file.ts";
import {
  createSimulator,
  dialectProfilePath,
  type TruthMachine,
  VirtualClock,
} from "../../simulator/index.ts";
import { Prng } from "../../simulator/prng.ts";
import { openStage, type Stage } from "./stage.ts";
import type { MarketEvent, Tape } from "./tape.ts";

/** A machine that somebody held. Times in ms since the tape began. */
export interface Run {
  readonly owner: Owner | null;
  /** The index of its offer. */
  readonly offer: number;
  readonly gpus: number;
  /** From when it ran. */
  readonly from: number;
  /** When it was lost or its stop was asked for, else the tape's end. */
  readonly to: number;
  /** Its loss was the market's, and not by choice. */
  readonly lost: boolean;
}

export interface Played {
  readonly runs: readonly Run[];
  readonly launches: number;
  readonly refusals: number;
  readonly requests: number;
  /** The most GPUs that lived at one time. */
  readonly most: number;
  /** When the tape began, wall time in ms of the virtual clock. */
  readonly origin: number;
  /** Why rounds of the agent decided nothing. */
  readonly errors: readonly string[];
}

/** Somebody who keeps GPUs in an account, until the stage ends. `lost`: the machines that answer nobody any more. */
export type Player = (on: Stage, lost: ReadonlySet<string>) => Promise<void>;

export interface Terms {
  /** Between two lists, in ms. */
  readonly poll?: number;
  /** The service asks the provider when it is asked for one machine. */
  readonly getAsksProvider?: boolean;
  /** How the service bills; the agent goes by it, too. */
  readonly billing?: Billing | undefined;
  /** The moment at which the tape begins, wall time in ms. */
  readonly start?: number;
  /** Is called after each hour of the tape. What it throws ends the play. */
  readonly onHour?: (hour: number) => void;
}

const STEP_MS = MINUTE_MS;
/** Out of step with the service's health check, so that a loss is seen after each possible wait. */
const POLL_MS = 113_000;

/** Plays a tape in virtual time against whoever keeps the GPUs. */
export async function play(
  tape: Tape,
  player: Player,
  seed: number,
  { poll = POLL_MS, getAsksProvider = false, billing, start, onHour = () => undefined }: Terms = {},
): Promise<Played> {
  const offers = tape.offers.map((offer, index) => {
    const [price, room] = tape.start[index] ?? [1, 0];
    return { ...offer, pricePerHour: price.toFixed(4), capacity: room };
  });
  const runningPrices = tape.floats ? ("float" as const) : ("asLaunched" as const);
  const settings = { healthCheckSeconds: 300, emptyBalance: "owe" as const, getAsksProvider, runningPrices };
  const clock = new VirtualClock(start);
  const simulator = createSimulator({ clock, seed, offers, settings, balance: "100000000.0000" });
  const path = dialectProfilePath("plain");
  const profile = readProfile(readFileSync(path, "utf8"), path);
  const on = await openStage({
    ...{ simulator, clock, profile, billing, tenure: "exclusive", protocol: { poll } },
  });
  const random = new Prng(`losses ${seed}`);
  const counted = { most: 0 };
  await on.clock.advance(new Prng(`offset ${seed}`).integer(0, 300_000));
  const origin = on.clock.now();
  const lost = new Set<string>();
  await player(on, lost);
  const count = (): void => {
    const living = simulator.living().reduce((sum, { gpus }) => sum + gpus, 0);
    counted.most = Math.max(counted.most, living);
  };
  let next = 0;
  for (let at = 0; at < tape.days * DAY_MS; at += STEP_MS) {
    for (let event = tape.events[next]; event && event[0] <= at; event = tape.events[++next]) {
      for (const id of happen(on, tape, event, random)) lost.add(id);
      count();
    }
    await on.clock.advance(STEP_MS);
    if ((at + STEP_MS) % HOUR_MS === 0) onHour((at + STEP_MS) / HOUR_MS);
  }
  count();
  await on.stop();
  const { machines, launches, requests } = on.simulator.truth();
  return {
    runs: runsOf(machines, tape, await readDraft(on.keeper), origin, clock.now()),
    launches: launches.length,
    refusals: launches.length - machines.length,
    requests: Object.values(requests).reduce((sum, each) => sum + each, 0),
    most: counted.most,
    origin,
    errors: on.errors,
  };
}

/** `origin` and `end`: of the tape, wall times in ms. */
function runsOf(
  machines: readonly TruthMachine[],
  { offers }: Tape,
  draft: Draft,
  origin: number,
  end: number,
): readonly Run[] {
  const indexes = new Map(offers.map((offer, index) => [combinationKey(offer), index]));
  return machines.flatMap((machine): Run[] => {
    const ran = machine.states.find(({ state }) => state === "running");
    if (!ran) return [];
    const left = machine.states.find(({ state }) => state === "stopping")?.at ?? machine.endedAt ?? end;
    const lost = machine.lostAt !== null;
    const to = Math.max(ran.at, machine.lostAt ?? left);
    return [
      {
        owner: draft.deployments.ever(machine.id)?.owner ?? null,
        offer: indexes.get(combinationKey(machine.combination)) ?? -1,
        gpus: machine.gpus,
        ...{ from: ran.at - origin, to: to - origin, lost },
      },
    ];
  });
}

/** Gives the machines that are lost by it. */
function happen(
  on: Stage,
  { offers }: Tape,
  [, kind, index, value]: MarketEvent,
  random: Prng,
): readonly string[] {
  const { control } = on.simulator;
  const offer = offers[index];
  if (!offer) throw new RangeError(`the tape has no offer ${index}`);
  if (kind === "p") control.setPrice(offer, value.toFixed(4));
  if (kind === "c") control.setCapacity(offer, value);
  if (kind === "p" || kind === "c") return [];
  const place = combinationKey(offer);
  const here = on.simulator
    .living()
    .filter(({ combination, lostAt }) => lostAt === undefined && combinationKey(combination) === place);
  const count = kind === "s" ? Math.max(0, here.length - value) : Math.round(here.length * value);
  const gone = kind === "k" ? here.slice(value, value + 1) : random.shuffle(here).slice(0, count);
  const ids = gone.map(({ id }) => id);
  for (const id of ids) control.interrupt(id);
  return ids;
}
