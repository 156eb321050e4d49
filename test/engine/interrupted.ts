import { isAlive, type Update, until, type World } from "./world.ts";

interface Begun extends Update {
  /** The process that has launched. */
  readonly plugin: number;
  /** How many machines there were ever, with this one. */
  readonly launched: number;
}

/** Starts an `up` whose machine was launched and comes no further: the service's clock stands. */
export async function beginLaunch(world: World): Promise<Begun> {
  const before = world.machines().length;
  world.clock.stop();
  const update = world.start();
  let over = false;
  void update.ended.then(() => {
    over = true;
  });
  await until(async () => {
    if (over) throw new Error(`the up has ended:\n${update.said()}`);
    return world.machines().length > before && (await world.rows()).deployments.length > before;
  });
  return { ...update, plugin: await world.hostOfLaunch(), launched: before + 1 };
}

/** Ends the plugins that a failed test left: of those that have launched, the ones that are still there. */
export async function endLeftOver(world: World): Promise<void> {
  const senders = new Set((await world.rows()).intents.map(({ sender }) => sender.pid));
  for (const pid of senders) if (isAlive(pid)) process.kill(pid, "SIGKILL");
}
