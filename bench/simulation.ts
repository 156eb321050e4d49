import { startSimulation } from "../simulator/simulation.ts";

/*
 * The simulated service with room for many machines that run at once. It runs in a process of its own, so that
 * its work is not counted as anybody's.
 *
 *   node bench/simulation.ts     prints url, apiKey and profilePath as one line of JSON, and ends
 *                                with its input
 */

const simulation = await startSimulation({
  balance: "1000000.0000",
  settings: { initializingSeconds: [0, 0], provisioningSeconds: [0, 0], connectingSeconds: [0, 0] },
});
simulation.simulator.control.setCapacity(
  { offer: "h100-80gb-x1", provider: "aurora", location: "fi-hel" },
  1_000,
);
const { url, apiKey, profilePath } = simulation;
process.stdout.write(`${JSON.stringify({ url, apiKey, profilePath })}\n`);
// A bench that is killed leaves nothing behind.
process.stdin.on("end", () => process.exit()).resume();
