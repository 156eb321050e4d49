import { DEFAULT_SETTINGS } from "../launch/facts/context.ts";
import type { Stage } from "../test/support/stage.ts";
import type { Figure } from "./figure.ts";
import { badHour, MACHINES, OFFERS, secondsUntil, type Told } from "./first-hour-stage.ts";
import { oneAtATime, waitBy } from "./one-at-a-time.ts";

/*
 * The first hour of a fleet of 1,000 GPUs, in simulated time, on a bad hour: at any time 20% of the
 * combinations cool, and of 5% of the launches the answer is lost.
 */

const SEEDS = [1, 2, 3, 4, 5];
/** 95%: without those whose launches are lost. */
const MOST = Math.floor(MACHINES * 0.95);
/** Half of the lost launches made nothing. */
const MADE_NOTHING = Math.ceil(MACHINES * 0.025);

interface Hour {
  /** Seconds until 95% run, and until all do. */
  readonly most: number;
  readonly all: number;
  /** Machines that run beyond what was wanted, half an hour later. */
  readonly duplicates: number;
}

async function ours(told: Told, seed: number): Promise<Hour> {
  const on = await badHour(told, seed);
  await on.declare({ training: { gpus: MACHINES * 8, select: { gpuModel: "H100" } } });
  on.start();
  const hour = await watched(on);
  await on.stop();
  return hour;
}

/** Knows what cools and needs no slow start: all launches leave at once, each where it is accepted. */
async function clairvoyant(seed: number): Promise<Hour> {
  const on = await badHour("marker", seed);
  byHand(on, MACHINES);
  return watched(on);
}

/** Launches as a clairvoyant, but some make nothing, which takes the POST's timeout and a settle time to know. */
async function clairvoyantThatLooks(seed: number): Promise<Hour> {
  const on = await badHour("marker", seed);
  byHand(on, MACHINES - MADE_NOTHING);
  const { postTimeout, settle } = DEFAULT_SETTINGS;
  void on.clock.sleep(postTimeout + settle).then(() => byHand(on, MADE_NOTHING));
  return watched(on);
}

function byHand(on: Stage, count: number): void {
  let left = count;
  for (const offer of OFFERS)
    try {
      for (; left > 0; left--) on.simulator.control.launchByHand(offer);
    } catch {
      // It cools, or has no room: the next one.
    }
}

/** `untilRunning`: it waits for each machine before it launches the next. */
async function retrying(seed: number, untilRunning: boolean): Promise<Hour> {
  const on = await badHour("marker", seed);
  waitBy(on.clock);
  void oneAtATime(on.keeper.service, on.clock, MACHINES, untilRunning);
  return watched(on);
}

async function watched(on: Stage): Promise<Hour> {
  const begun = on.clock.now();
  const most = await secondsUntil(on, MOST, begun);
  const all = await secondsUntil(on, MACHINES, begun);
  await on.clock.advance(1_800_000);
  return { most, all, duplicates: Math.max(0, on.alive().length - MACHINES) };
}

async function hoursOf(play: (seed: number) => Promise<Hour>): Promise<Hour> {
  const hours: Hour[] = [];
  for (const seed of SEEDS) hours.push(await play(seed));
  const mean = (of: (hour: Hour) => number): number =>
    hours.reduce((sum, hour) => sum + of(hour), 0) / SEEDS.length;
  const duplicates = hours.reduce((sum, hour) => sum + hour.duplicates, 0);
  return { most: mean(({ most }) => most), all: mean(({ all }) => all), duplicates };
}

const marked = await hoursOf((seed) => ours("marker", seed));
const told = await hoursOf((seed) => ours("combination", seed));
const knows = await hoursOf(clairvoyant);
const looks = await hoursOf(clairvoyantThatLooks);
const patient = await hoursOf((seed) => retrying(seed, true));
const hasty = await hoursOf((seed) => retrying(seed, false));

const time = (seconds: number): string => `${seconds.toFixed(0)} s`;
const paid = (how: string, { duplicates }: Hour): string =>
  `${how}, ${duplicates} paid twice in ${SEEDS.length} fleets`;
const hour = "0 to 1,000 GPUs, 20% of the combinations cool, 5% of the answers lost";
const loses = `a clairvoyant that loses ${MADE_NOTHING} launches, and settles`;
const figures: Figure[] = (
  [
    ["the first 950 of 1,000 GPUs, with a marker", marked.most, "a clairvoyant", knows.most, "<= 1.25"],
    [`${hour}, with a marker`, marked.all, "a clairvoyant", knows.all, "<= 1.25"],
    [`${hour}, with a marker`, marked.all, loses, looks.all, "<= 1.25"],
    [`${hour}, without`, told.all, loses, looks.all, "no limit"],
    [
      paid("with a marker", marked),
      marked.all,
      paid("p-retry, each until it runs", patient),
      patient.all,
      "<= 0.1",
    ],
    [paid("without", told), told.all, paid("p-retry, each until it runs", patient), patient.all, "<= 0.1"],
    [
      paid("with a marker", marked),
      marked.all,
      paid("p-retry, POST after POST", hasty),
      hasty.all,
      "no limit",
    ],
  ] as const
).map(([what, measured, against, limit, toReach]) => ({
  what,
  measured: time(measured),
  against: `${against}: ${time(limit)}`,
  ratio: measured / limit,
  toReach,
}));
process.stdout.write(JSON.stringify(figures));
// The loops of what cools never end.
process.exit(0);
