// npm run prove [-- --shard 1/4 | --fresh | --list]: set-up, then the whole proof, from where an earlier run
// ended. The last line is always "N passed, N failed". With --forever: fresh seeds, until Ctrl-C (proof/forever.ts).
import { runInForeground } from "./setup/foreground.mjs";
import { main } from "./setup/main.mjs";
import { root } from "./setup/paths.mjs";
import { setUp } from "./setup/set-up.mjs";

/** Once the walk has begun, it prints the last line itself, whatever ends it. */
let isWalking = false;
process.on("exit", (code) => {
  if (code !== 0 && !isWalking) process.stdout.write("\n0 passed, 1 failed\n");
});

await main(async () => {
  const { env } = await setUp({ engine: false });
  isWalking = true;
  const [first, ...rest] = process.argv.slice(2);
  if (first === "--forever")
    return runInForeground("node", ["proof/forever.ts", ...rest], { env, cwd: root });
  return runInForeground("node", ["proof/prove/index.ts", ...process.argv.slice(2)], { env, cwd: root });
});
