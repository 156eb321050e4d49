import { MINUTE, scene } from "../test/http/scene.ts";
import { H100_SINGLE } from "../test/support/stage.ts";
import { cpuSince, type Figure, ms } from "./figure.ts";

/*
 * The status page of an account with 1,000 machines, in one fleet and in a hundred: CPU of a load with the request and the
 * reading of its answer, and its bytes as they are sent, without compression.
 */

const MACHINES = 1_000;
const ROUNDS = 40;
const LIMIT_MS = 100;
const LIMIT_BYTES = 100_000;
const HOUR_MS = 60 * MINUTE;

async function figuresOf(fleets: number): Promise<readonly Figure[]> {
  const on = await scene({ offers: [{ ...H100_SINGLE, capacity: MACHINES }], balance: "10000000.0000" });
  for (let machine = 0; machine < MACHINES; machine++) on.simulator.control.launchByHand(H100_SINGLE);
  await on.clock.advance(HOUR_MS);
  const wish = { gpus: MACHINES / fleets, select: { gpuModel: "H100" } };
  const named = Array.from({ length: fleets }, (_, number) => [`fleet-${number}`, wish] as const);
  await on.declare(Object.fromEntries(named));
  on.start();
  await on.clock.advance(HOUR_MS);
  if (on.simulator.truth().requests.launch > 0) throw new Error("the fleets launched: they are not steady");
  let page = "";
  for (let round = 0; round < 10; round++) page = await on.text("/");
  if (!page.includes(`fleet-${fleets - 1}`)) throw new Error("the page lacks a fleet");
  // A page is made anew where something has changed since: so after each of these.
  let cpu = 0;
  for (let round = 0; round < ROUNDS; round++) {
    await on.clock.advance(MINUTE);
    const begun = process.cpuUsage();
    page = await on.text("/");
    cpu += cpuSince(begun);
  }
  const each = cpu / ROUNDS;
  await on.close();
  const bytes = Buffer.byteLength(page);
  const what = `the page of ${MACHINES} machines in ${fleets === 1 ? "one fleet" : `${fleets} fleets`}`;
  return [
    {
      what: `${what}: CPU of a load`,
      measured: ms(each),
      against: ms(LIMIT_MS),
      ratio: each / LIMIT_MS,
      toReach: "<= 1",
    },
    {
      what: `${what}: bytes`,
      measured: `${(bytes / 1000).toFixed(0)} kB`,
      against: `${LIMIT_BYTES / 1000} kB`,
      ratio: bytes / LIMIT_BYTES,
      toReach: "<= 1",
    },
  ];
}

process.stdout.write(JSON.stringify([...(await figuresOf(1)), ...(await figuresOf(100))]));
