import { play } from "../proof/play.ts";
import { scenarioOf } from "../proof/seeds/seeds.ts";
import type { World } from "../proof/world/world.ts";
import { cpuSince, type Figure, ms } from "./figure.ts";

/*
 * The simulation of the proof, both ends of its wires, ledgers and judges together: what it takes beside `JSON.parse`
 * of the answers that were sent in it. Another machine has other days a second, and the same ratio.
 */

const SEEDS = Array.from({ length: 48 }, (_, index) => index + 1);
const DAY_MS = 86_400_000;

const answers: string[] = [];
const listen = ({ simulator }: World): void => {
  const { handle } = simulator;
  const heard: typeof handle = (request) => {
    const reply = handle(request);
    if (reply.kind === "answer") answers.push(reply.response.body);
    return reply;
  };
  Object.assign(simulator, { handle: heard });
};

// The first seeds only warm it up.
for (const seed of SEEDS.slice(0, 8)) await play(scenarioOf(seed, undefined));
const begun = process.cpuUsage();
let simulatedMs = 0;
for (const seed of SEEDS) simulatedMs += (await play(scenarioOf(seed, undefined), listen)).simulatedMs;
const spent = cpuSince(begun);

const PARSINGS = 10;
const parsing = process.cpuUsage();
for (let round = 0; round < PARSINGS; round++)
  for (const answer of answers)
    try {
      JSON.parse(answer);
    } catch {
      // A fault of the simulated service.
    }
const parsed = cpuSince(parsing) / PARSINGS;
const days = simulatedMs / DAY_MS;
const figures: Figure[] = [
  {
    what: "a simulated day of the proof: CPU",
    measured: `${ms(spent / days)}; ${((days / spent) * 1000).toFixed(2)} days a second`,
    against: `JSON.parse of its answers: ${ms(parsed / days)}`,
    ratio: spent / parsed,
    toReach: "-",
  },
];
process.stdout.write(JSON.stringify(figures));
