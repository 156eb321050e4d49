// node scripts/run.mjs [--engine] <command> [args]: sets up what is missing, then runs the command.
import { runInForeground } from "./setup/foreground.mjs";
import { main } from "./setup/main.mjs";
import { setUp } from "./setup/set-up.mjs";

await main(async () => {
  const args = process.argv.slice(2);
  const engine = args[0] === "--engine";
  const [command, ...rest] = engine ? args.slice(1) : args;
  if (!command) throw new Error("run.mjs: no command to run");
  const { env } = await setUp({ engine });
  return runInForeground(command, rest, { env });
});
