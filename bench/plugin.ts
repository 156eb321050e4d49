import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { Plugin } from "../test/plugin/plugin.ts";
import { type Figure, megabytes, ms } from "./figure.ts";

/* How long the plugin takes to its first answer, and its memory then, beside Node that does nothing. Needs dist/: npm run build. */

const ROUNDS = 15;
const least = { plugin: Infinity, nothing: Infinity };
let ours = Infinity;
// The least of several runs in turn: a neighbour only ever adds.
for (let round = 0; round < ROUNDS; round++) {
  let begun = performance.now();
  execFileSync(process.execPath, ["-e", "0"], { stdio: "ignore" });
  least.nothing = Math.min(least.nothing, performance.now() - begun);

  begun = performance.now();
  const plugin = await Plugin.start();
  await plugin.call("getPluginInfo");
  least.plugin = Math.min(least.plugin, performance.now() - begun);
  await plugin.configure({});
  ours = Math.min(ours, memoryOf(plugin.process.pid));
  await plugin.close();
}
const idle = spawn(process.execPath, ["-e", "console.log(1); setInterval(() => 0, 60000)"], {
  stdio: ["ignore", "pipe", "inherit"],
});
await once(idle.stdout, "data");
const bare = memoryOf(idle.pid);
idle.kill("SIGKILL");

const figures: readonly Figure[] = [
  {
    what: "start of the plugin, to its first answer",
    measured: ms(least.plugin),
    against: `node -e 0: ${ms(least.nothing)}`,
    ratio: least.plugin / least.nothing,
    toReach: "-",
  },
  {
    what: "memory of the plugin, configured",
    measured: megabytes(ours),
    against: `node that does nothing: ${megabytes(bare)}`,
    ratio: ours / bare,
    toReach: "-",
  },
];
process.stdout.write(JSON.stringify(figures));

/** Bytes in memory, of Linux and macOS alike. */
function memoryOf(pid: number | undefined): number {
  return Number(execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" })) * 1024;
}
