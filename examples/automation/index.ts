import { hostname } from "node:os";
import { setTimeout } from "node:timers/promises";
import { ConcurrentUpdateError, LocalWorkspace } from "@pulumi/pulumi/automation/index.js";
import { Deployment } from "fleetkeeper";

/** A bound for all that goes wrong: from then on an agent stops the machine, even if nothing is left of this program. */
const minutes = Number(process.env.MINUTES ?? 60);
const until = new Date(Date.now() + minutes * 60_000);

/** An inline program: there is no Pulumi.yaml, and `pulumi` is not called by hand. */
async function program(): Promise<Record<string, unknown>> {
  const machine = new Deployment("gpus", {
    candidates: [
      { offer: "h100-80gb-x8", provider: "basalt", location: "is-rey" },
      { offer: "h100-80gb-x8", provider: "aurora", location: "fi-hel" },
    ],
    until,
  });
  return { id: machine.deploymentId, price: machine.pricePerHour, connection: machine.connection };
}

/** When the program is to end. Without listeners a signal would end it at once, and nothing would be given back. */
const toldToEnd = new Promise<string>((resolve) => {
  for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => resolve(signal));
});

/** Your work, on the machine. Here: an hour passes. */
async function work(): Promise<string> {
  await setTimeout(minutes * 60_000);
  return "its end";
}

const stack = await LocalWorkspace.createOrSelectStack({
  stackName: "session",
  projectName: "automation",
  program,
});

/**
 * Does an `up` or a `destroy`. A killed one has left the stack locked, and its machine may bill. The lock of a dead process
 * of this host is taken away (`pulumi cancel`), and the work is done again. A lock of anybody else is left as it is.
 */
async function pastDeadLocks<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof ConcurrentUpdateError)) throw error;
    const holders = [...error.message.matchAll(/created by \S*@(\S+) \(pid (\d+)\)/g)];
    const isDead = ([, host, pid]: readonly string[]) => host === hostname() && !isAlive(Number(pid));
    if (holders.length === 0 || !holders.every(isDead)) throw error;
    console.log(`the stack was locked by a process that is dead (${holders[0]?.[2]}): cancelled`);
    await stack.cancel();
    return await work();
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== "ESRCH";
  }
}

try {
  const { outputs } = await pastDeadLocks(() => stack.up());
  console.log(`8 GPUs until ${until.toISOString()}, ${outputs.price?.value} USD an hour`);
  console.log(`${outputs.id?.value} at ${outputs.connection?.value?.host}`);
  console.log(`at work until ${await Promise.race([work(), toldToEnd])}`);
} catch (error) {
  // Thrown, it would end the program with 0: what Pulumi leaves behind of a killed `up` listens to it.
  console.error(error);
  process.exitCode = 1;
} finally {
  const { summary } = await pastDeadLocks(() => stack.destroy());
  console.log(`given back: ${summary.result}`);
}
// The work may still wait for its end.
process.exit();
