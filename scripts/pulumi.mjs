// npm run pulumi -- <arguments>: the Pulumi engine with all that it needs, in the folder npm was called in.
import { mkdirSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { runInForeground } from "./setup/foreground.mjs";
import { main } from "./setup/main.mjs";
import { root } from "./setup/paths.mjs";
import { hasBackend, localBackend } from "./setup/pulumi-backend.mjs";
import { say } from "./setup/say.mjs";
import { setUp } from "./setup/set-up.mjs";
import { SetupError } from "./setup/setup-error.mjs";

await main(async () => {
  const args = process.argv.slice(2);
  const { engine, env } = await setUp();
  if (!engine) throw new SetupError("pulumi cannot run without the engine.");

  const choosesBackend = args[0] === "login" || args[0] === "logout";
  if (!choosesBackend && !hasBackend(env)) {
    const folder = path.join(root, ".fleetkeeper", "pulumi");
    mkdirSync(folder, { recursive: true });
    const { variables, notice } = localBackend(pathToFileURL(folder).href, env);
    Object.assign(env, variables);
    say(notice);
  }
  return runInForeground(engine.pulumi, args, { env, cwd: process.env.INIT_CWD ?? process.cwd() });
});
