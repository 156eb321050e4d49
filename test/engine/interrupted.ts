import { isAlive, type Update, until, type World } from "./world.ts";

/** Starts an `up` whose machine was launched and comes no further: the service's clock stands. */
export async function beginLaunch(world: World): Promise<Update & { readonly plugin: number }> {
  const before = world.machines().length;
  world.clock.stop();
  const update = world.start();
  await until(() => world.machines().length > before);
  await until(async () => (await world.rows()).deployments.length > before);
  return { ...update, plugin: await world.hostOfLaunch() };
}

/** Ends the plugins that a failed test left: of those that have launched, the ones that are still there. */
export async function endLeftOver(world: World): Promise<void> {
  const senders = new Set((await world.rows()).intents.map(({ sender }) => sender.pid));
  for (const pid of senders) if (isAlive(pid)) process.kill(pid, "SIGKILL");
}
