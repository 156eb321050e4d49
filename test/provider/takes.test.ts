import { expect, onTestFinished, test } from "vitest";
import type { Properties } from "../../provider/kinds.ts";
import { fleet, wish } from "../../provider/kinds.ts";
import { UNKNOWN } from "../../provider/runtime/inputs/unknown.ts";
import { H100, H100_SOUTH, type Stage, type StageOptions, stage } from "../support/stage.ts";
import { COMBINATION, type Desk, deskOn, elsewhere } from "./support.ts";

/*
 * A fleet of a new ledger takes what runs and fits, where the account is called exclusive. A preview that is silent about it names
 * a price for launches that never come, and nobody sees that a machine of somebody else's is among them.
 */

const candidates = [{ ...COMBINATION, gpus: H100.gpus, pricePerHour: H100.pricePerHour }];

function deskThatWarns(on: Stage): Desk {
  const desk = deskOn(on);
  return { ...desk, say: (text, name, level) => desk.say(level ? `${level}: ${text}` : text, name) };
}

async function opened(options?: StageOptions): Promise<Stage> {
  const on = await stage(options);
  onTestFinished(() => on.stop());
  return on;
}

/** What the preview of a new fleet says, in the run that this desk is of. */
async function previewed(on: Stage, args: Properties, name = "training", desk = deskThatWarns(on)) {
  const inputs = { label: `project/dev/${name}`, name, source: UNKNOWN, ledger: UNKNOWN, candidates };
  desk.lines.length = 0;
  const { failures } = await on.clock.run(wish.check(desk, { ...inputs, reconcile: "inline", ...args }, {}));
  expect(failures).toEqual([]);
  return [...desk.lines];
}

async function up(on: Stage, args: Properties, name = "training", desk = deskThatWarns(on)) {
  const { id, outs } = await fleet.create(desk, { label: `project/dev/${name}`, name });
  const inputs = { ...outs, source: `stack:${id}`, candidates, reconcile: "inline", ...args };
  const made = await on.clock.run(wish.create(desk, inputs));
  return { lines: [...desk.lines], inputs, outs: made.outs };
}

const launched = (on: Stage) => on.simulator.truth().launches.length;
const LEAVES_OUT =
  "training: what it takes is its own from then on, and is stopped with it. To leave a machine out, run fleetkeeper disown ID first";
const took = (id: string, is = "runs") =>
  `training: takes ${id}, which ${is} already in this exclusive account: 8 GPUs, 16.00 USD an hour`;

test("preview and up name each machine that is taken, warn of another ledger's, and price only what is launched beside", async () => {
  const on = await opened();
  await up(await elsewhere(on, "exclusive"), { gpus: 8 }, "theirs");
  const [theirs] = on.alive();
  const byHand = on.simulator.control.launchByHand(COMBINATION);
  const told = [
    took(theirs!.id),
    took(byHand),
    expect.stringMatching(
      `^training: warning: another ledger, otherledger0, launched ${theirs!.id}. If that ledger is still in use, .* both keep this machine, .* or call the account shared.`,
    ),
    LEAVES_OUT,
  ];
  await on.clock.advance(300_000);
  const lines = await previewed(on, { gpus: 24 });
  expect(lines).toEqual([
    ...told,
    "training: 1 x h100-8 @ north/oslo (16.00 USD an hour each): 16.00 USD an hour together; a launch reserves the first hour",
    "training: costs 48.00 USD an hour for 24 GPUs, 1152.00 a day, 34560.00 in 30 days",
    expect.stringContaining("training: no bound on the cost: "),
  ]);
  expect(launched(on)).toBe(1);
  const made = await up(on, { gpus: 24 });
  expect(made.lines.slice(0, told.length)).toEqual(told);
  expect(launched(on)).toBe(2);
  expect(on.alive()).toHaveLength(3);
  expect(made.outs).toMatchObject({ runningGpus: 24, pricePerHour: "48.0000" });
});

test("where all is there already a preview names no launch, and up pays for none", async () => {
  const on = await opened();
  on.simulator.control.launchByHand(COMBINATION);
  const lines = await previewed(on, { gpus: 8 });
  expect(lines[0]).toMatch(/^training: takes \S+, which is initializing already in this exclusive account: /);
  expect(lines.join("\n")).not.toMatch(/ x h100-8|a launch reserves/);
  expect(lines).toContain("training: costs 16.00 USD an hour for 8 GPUs, 384.00 a day, 11520.00 in 30 days");
  await up(on, { gpus: 8 });
  expect(on.alive()).toHaveLength(1);
  expect(launched(on)).toBe(0);
});

test("of many machines the number is said, and some names", async () => {
  const on = await opened();
  const ids = Array.from({ length: 7 }, () => on.simulator.control.launchByHand(COMBINATION));
  expect(await previewed(on, { gpus: 56 })).toContain(
    `training: takes 7 machines, which are there already in this exclusive account, with 56 GPUs: ${ids.slice(0, 5).join(", ")} and 2 more`,
  );
});

test("two fleets of one preview do not take the same machine, whichever is asked again", async () => {
  const on = await opened();
  const id = on.simulator.control.launchByHand(COMBINATION);
  const desk = deskThatWarns(on);
  for (const name of ["training", "training"])
    expect((await previewed(on, { gpus: 8 }, name, desk))[0]).toContain(`takes ${id}, `);
  const tuning = await previewed(on, { gpus: 8 }, "tuning", desk);
  expect(tuning.join("\n")).not.toContain(id);
  expect(tuning[0]).toContain("tuning: 1 x h100-8 @ north/oslo");
});

test("a fleet that is enlarged takes what runs by then, and its preview says so", async () => {
  const on = await opened();
  const { inputs, outs } = await up(on, { gpus: 8 });
  const id = on.simulator.control.launchByHand(COMBINATION);
  await on.clock.advance(300_000);
  const desk = deskThatWarns(on);
  await on.clock.run(wish.diff(desk, "training", { ...inputs, ...outs }, { ...inputs, gpus: 16 }));
  expect(desk.lines.slice(0, 2)).toEqual([took(id), LEAVES_OUT]);
  expect(desk.lines.join("\n")).not.toContain("a launch reserves");
});

test("what may be its own, and nobody can say, is named: up waits for a person", async () => {
  const on = await opened();
  const id = on.simulator.control.launchByHand(H100_SOUTH);
  const lines = await previewed(on, { gpus: 8 });
  expect(lines.join("\n")).not.toContain("takes");
  expect(lines).toContainEqual(
    expect.stringMatching(
      `^training: ${id} \\(\\S+\\) run already, and nobody can say whether they belong to this fleet: fleetkeeper adopt or disown each`,
    ),
  );
});

test("on a shared account nothing is taken, and nothing is said of it", async () => {
  const on = await opened({ account: "shared" });
  on.simulator.control.launchByHand(COMBINATION);
  const lines = await previewed(on, { gpus: 8, match: "none" });
  expect(lines[0]).toContain("training: 1 x h100-8 @ north/oslo");
});
