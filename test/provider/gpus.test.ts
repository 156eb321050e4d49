import { expect, it } from "vitest";
import { shortRow } from "../../agent/status/short-row.ts";
import { readDraft } from "../../ledger/index.ts";
import { machine } from "../../provider/kinds.ts";
import type { Properties } from "../../provider/runtime/inputs/resource-kind.ts";
import { type Stage, type StageOptions, stage } from "../support/stage.ts";
import { COMBINATION, createMachine, deskOn, machineInputsOf, slotOf } from "./support.ts";

/** GPUs of the one machine that `pulumi up` launches, as every list of machines tells them. */
async function launched(options: StageOptions = {}, args: Properties = {}) {
  const on = await stage(options);
  const desk = deskOn(on);
  await on.clock.run(createMachine(desk, await slotOf(desk), args));
  return told(on);
}

async function told({ keeper }: Stage): Promise<number | null | undefined> {
  const draft = await readDraft(keeper);
  const [row] = draft.deployments.values();
  return row && shortRow(draft, row).gpus;
}

const noOffers = (profile: string): string => profile.replace(/^offers:\n( .*\n)+/m, "");
const noGpus = (profile: string): string => profile.replace("    gpus: /gpus\n    failure", "    failure");

it.each([
  ["the offers', where the program says none", {}, {}, 8],
  ["the offers', whatever the program says", {}, { gpus: 4 }, 8],
  ["the offers', where the price is the program's", {}, { pricePerHour: "16" }, 8],
  ["the record's, where no offers are mapped", { alter: noOffers }, {}, 8],
  [
    "the program's, where nothing is shown",
    { alter: (text: string) => noGpus(noOffers(text)) },
    { gpus: 4 },
    4,
  ],
  ["not known, where nobody says it", { alter: (text: string) => noGpus(noOffers(text)) }, {}, null],
])("a Deployment's GPUs are %s", async (_whose, options, args, gpus) => {
  expect(await launched(options, args)).toBe(gpus);
});

it("tells in the preview that another number than the program's counts", async () => {
  const on = await stage();
  const desk = deskOn(on);
  await on.clock.run(machine.check(desk, machineInputsOf(await slotOf(desk), { gpus: 4 })));
  expect(desk.lines.join("\n")).toContain(
    "h100-8 @ north/oslo has 8 GPUs by the service's offers: that counts, and not the 4 that gpus says",
  );
});

it("tells in the preview what a combination lacks, where two of the service's offers are one", async () => {
  // The profile takes the model for the offer's id, and north has the model with 8 GPUs and with 1.
  const byModel = (profile: string) => profile.replace("    id: /id\n", "    id: /gpu_model\n");
  const on = await stage({ alter: byModel });
  const desk = deskOn(on);
  const wanted = { offer: "H100", gpus: 8 };
  await on.clock.run(machine.check(desk, machineInputsOf(await slotOf(desk), wanted)));
  expect(desk.lines.join("\n")).toContain(
    "H100 @ north/oslo is not among the service's offers just now: 1 of 2 offers cannot be read and does not count " +
      "(H100 @ north/oslo: two offers are this combination and differ in gpus (8, and 1) and pricePerHour (16.0000, and 2.5000)",
  );
});

it("a price that is rounded for each of 8 GPUs halts nothing", async () => {
  const on = await stage();
  const desk = deskOn(on);
  await (await desk.session()).offers();
  on.simulator.control.setPrice(COMBINATION, "16.0500");
  const budget = { perHour: "20" };
  await on.clock.run(createMachine(desk, await slotOf(desk), { budget }));
  await on.clock.run(createMachine(desk, await slotOf(desk), { budget }));
  expect(on.alive()).toHaveLength(2);
});
