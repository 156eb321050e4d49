import { stage } from "../test/support/stage.ts";
import type { Figure } from "./figure.ts";

/* The requests of a fleet of 1,000 machines in which nothing happens. */

const MACHINES = 1_000;
const HOUR_MS = 3_600_000;
/** A quarter of a day: each tick is like the one before it. */
const HOURS = 6;

const offer = {
  offer: "h100-1",
  provider: "north",
  location: "oslo",
  gpus: 1,
  gpuModel: "H100",
  pricePerHour: "2.5000",
  capacity: MACHINES,
};
const on = await stage({ offers: [offer], balance: "10000000.0000" });
for (let machine = 0; machine < MACHINES; machine++) on.simulator.control.launchByHand(offer);
await on.clock.advance(HOUR_MS);
await on.declare({
  training: { gpus: MACHINES, select: { gpuModel: "H100" }, budget: { floor: "100", perHour: "5000" } },
});
on.start();
await on.clock.advance(HOUR_MS);
if (on.launches() > 0 || on.alive().length !== MACHINES) throw new Error("the fleet is not steady");
const before = on.simulator.truth().requests;
const ticks = on.reports.length;
await on.clock.advance(HOURS * HOUR_MS);
const after = on.simulator.truth().requests;
const asked = Object.entries(after).map(
  ([kind, count]) => [kind, count - before[kind as keyof typeof before]] as const,
);
const all = asked.reduce((sum, [, count]) => sum + count, 0);
const ticked = on.reports.length - ticks;
await on.stop();
const figures: Figure[] = [
  {
    what: `requests of ${MACHINES} steady machines in ${HOURS} simulated hours`,
    measured: asked
      .filter(([, count]) => count > 0)
      .map(([kind, count]) => `${kind} ${count}`)
      .join(", "),
    against: `a list a tick: ${ticked}`,
    ratio: all / ticked,
    toReach: "1, and the balance",
  },
];
process.stdout.write(JSON.stringify(figures));
