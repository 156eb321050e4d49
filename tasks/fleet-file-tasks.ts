import { FleetkeeperError } from "../service/contract/errors.ts";
import type { Task } from "./task.ts";
import { openWorld, type World } from "./world.ts";

/** A fleet file from the words of somebody, played on the simulated market. */
interface Wanted {
  readonly name: string;
  readonly pages: readonly string[];
  /** What is wanted. `now`: the moment at which it is said. */
  readonly words: (now: Date) => string;
  readonly check: (world: World) => Promise<string | undefined>;
  readonly right: (now: Date) => string;
  readonly wrong: (now: Date) => string;
}

const RULES = ["/reference/fleet-file", "/tasks/budget"];
const HOUR = 60;

function iso(now: Date, minutes: number): string {
  return new Date(now.getTime() + minutes * 60_000).toISOString().replace(".000Z", "Z");
}

function gpusOf(world: World, model: string): number {
  const its = world.running().filter(({ gpuModel }) => gpuModel === model);
  return its.reduce((all, { gpus }) => all + gpus, 0);
}

const is = (what: string, found: number, wanted: number): string | undefined =>
  found === wanted ? undefined : `${what}: ${found}, and not ${wanted}`;

const WANTED: readonly Wanted[] = [
  {
    name: "file-limits",
    pages: RULES,
    words: () =>
      "A fleet training of 16 GPUs of the model h100-80gb, wherever they are cheapest, none above 2.45 USD an hour; all of it never above 30 USD an hour; 20 USD stay in the balance.",
    check: async (world) => {
      await world.advance(40);
      const living = world.alive();
      const dear = living.filter(({ gpus, statement }) => Number(statement.pricePerHour) / gpus > 2.45);
      const perHour = living.reduce((all, { statement }) => all + Number(statement.pricePerHour), 0);
      if (dear.length > 0 || perHour > 30)
        return `${perHour} USD an hour is spent, with ${dear.length} machines that are too dear`;
      return is("GPUs that run", gpusOf(world, "h100-80gb"), 13);
    },
    right: () =>
      'fleets:\n  - name: training\n    gpus: 16\n    select: { gpuModel: h100-80gb, maxPricePerGpuHour: "2.45" }\n    budget: { floor: "20.00", perHour: "30.00" }\n',
    wrong: () =>
      'fleets:\n  - name: training\n    gpus: 16\n    select: { gpuModel: h100-80gb }\n    budget: { floor: "20.00", perHour: "45.00" }\n',
  },
  {
    name: "file-end",
    pages: RULES,
    words: (now) =>
      `It is ${iso(now, 0)}. A fleet job of 8 GPUs of the model a100-80gb until two hours from now; then all of it is given back.`,
    check: async (world) => {
      await world.advance(HOUR + 50);
      const before = is("GPUs that run ten minutes before the end", gpusOf(world, "a100-80gb"), 8);
      await world.advance(30);
      return before ?? is("machines that live twenty minutes after the end", world.alive().length, 0);
    },
    right: (now) =>
      `fleets:\n  - name: job\n    gpus: 8\n    select: { gpuModel: a100-80gb }\n    until: ${iso(now, 2 * HOUR)}\n`,
    wrong: (now) =>
      `fleets:\n  - name: job\n    gpus: 8\n    select: { gpuModel: a100-80gb }\n    until: ${iso(now, 3 * HOUR)}\n`,
  },
  {
    name: "file-hours",
    pages: ["/reference/fleet-file", "/how/size"],
    words: (now) =>
      `A fleet serving of the model l40s-48gb: 4 GPUs, and 8 on each day of the week from ${iso(now, 2 * HOUR).slice(11, 16)} until ${iso(now, 5 * HOUR).slice(11, 16)} UTC.`,
    check: async (world) => {
      await world.advance(HOUR + 30);
      const before = is("GPUs before that time", gpusOf(world, "l40s-48gb"), 4);
      await world.advance(2 * HOUR);
      const within = is("GPUs within it", gpusOf(world, "l40s-48gb"), 8);
      await world.advance(3 * HOUR);
      return before ?? within ?? is("GPUs after it", gpusOf(world, "l40s-48gb"), 4);
    },
    right: (now) => hours(now, 4, 2),
    wrong: (now) => hours(now, 4, 4),
  },
  {
    name: "file-teams",
    pages: ["/reference/fleet-file", "/how/labels"],
    words: () =>
      "Two fleets of 8 GPUs of the model a100-80gb: vision of the team vision, and speech of the team speech. No launch may take what the team vision spends on one day above 6 USD, whatever fleets it has. speech has no limit.",
    check: async (world) => {
      await world.advance(40);
      const fleets = (await world.see("/status")) as {
        readonly fleets: readonly Readonly<Record<string, unknown>>[];
      };
      const of = (name: string) => fleets.fleets.find((each) => each.name === name);
      const vision = (of("vision")?.labels as Readonly<Record<string, string>> | undefined)?.team;
      if (vision !== "vision") return `the label team of the fleet vision is ${vision}`;
      // The first hour of 4 GPUs at 1.39 is 5.56, and one GPU more would be above 6.
      return (
        is("GPUs of both", gpusOf(world, "a100-80gb"), 12) ??
        is("GPUs of vision", Number(of("vision")?.runningGpus), 4)
      );
    },
    right: () => `budgets:\n  - { label: { team: vision }, perDay: "6.00" }\n${teams("")}`,
    wrong: () => teams('    budget: { perDay: "60.00" }\n'),
  },
];

function hours(now: Date, gpus: number, from: number): string {
  const at = (minutes: number): string => iso(now, minutes).slice(11, 16);
  const windows = `entries: [{ from: "Mon-Sun ${at(from * HOUR)}", to: "Mon-Sun ${at(5 * HOUR)}", gpus: 8 }]`;
  return `fleets:\n  - name: serving\n    gpus: { min: 0, max: 8, at: ${gpus} }\n    schedule: { timeZone: UTC, ${windows} }\n    select: { gpuModel: l40s-48gb }\n`;
}

function teams(more: string): string {
  const fleet = (name: string, its: string): string =>
    `  - name: ${name}\n    gpus: 8\n    labels: { team: ${name} }\n    select: { gpuModel: a100-80gb }\n${its}`;
  return `fleets:\n${fleet("vision", more)}${fleet("speech", "")}`;
}

export const FLEET_FILE_TASKS: readonly Task[] = WANTED.map(
  ({ name, pages, words, check, right, wrong }) => ({
    name,
    pages,
    begin: async () => {
      const world = await openWorld();
      const now = new Date(world.truth().now);
      return {
        prompt: `Write a fleet file, without its settings (service, ledger). ${words(now)} Answer with the file in one block.`,
        right: right(now),
        wrong: wrong(now),
        check: async (answer) => {
          try {
            await world.declare(answer);
          } catch (error) {
            if (error instanceof FleetkeeperError) return error.message;
            throw error;
          }
          return check(world);
        },
        end: world.end,
      };
    },
  }),
);
