import { cpSync, mkdirSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { short } from "../agent/cli/demo/short-ids.ts";
import { type Asking, GPUS, playStory, type Stage } from "../agent/cli/demo/story.ts";

/** The story of `fleetkeeper demo`, with a real `pulumi up` of examples/fleet in place of the fleet file. */

const ROOT = resolve(import.meta.dirname, "..");
const UP = ["up", "--yes", "--skip-preview", "--suppress-outputs"];
const DESTROY = ["destroy", "--yes", "--skip-preview"];

const { FLEETKEEPER_PULUMI: engine } = process.env;
if (!engine) {
  say(
    "The demo needs the Pulumi engine, and the set-up above could not get one. Without it: npx fleetkeeper demo.",
  );
  process.exit(1);
}

// Within the clone, where the program finds the package and Pulumi.
const parent = join(ROOT, ".fleetkeeper", "demo");
mkdirSync(parent, { recursive: true });
const stopping = new AbortController();
for (const signal of ["SIGINT", "SIGTERM"] as const)
  process.once(signal, () => stopping.abort(new Error(signal)));

try {
  await playStory(byPulumi(engine), {
    environment: process.env,
    signal: stopping.signal,
    parent,
    self: ["node", join(ROOT, "dist", "bundle", "fleetkeeper.js")],
    print: say,
  });
} catch (error) {
  say(`\nThe demo did not come to its end: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}

function byPulumi(engine: string): Asking {
  const pulumi = async (stage: Stage, args: readonly string[], onLine = quoter()): Promise<undefined> => {
    const command = [engine, ...args, "--non-interactive", "--color=never"];
    await stage.run(command, { cwd: join(stage.folder, "fleet"), onLine });
    return undefined;
  };
  return {
    ask: {
      title: `A real pulumi up asks for ${GPUS} GPUs, while the service has a bad day`,
      play: async (stage) => {
        cpSync(join(ROOT, "examples", "fleet"), join(stage.folder, "fleet"), { recursive: true });
        keepApart(stage);
        await pulumi(stage, ["stack", "init", "demo"], () => undefined);
        return pulumi(stage, UP);
      },
    },
    again: {
      title: "pulumi up again: it takes note of the new machine, and rents nothing",
      play: (stage) => pulumi(stage, UP),
    },
    end: { title: "pulumi destroy: everything stops", play: (stage) => pulumi(stage, DESTROY) },
  };
}

/** From the user's own Pulumi: nothing of it is read or changed. */
function keepApart({ folder, env }: Stage): void {
  const state = join(folder, "state");
  mkdirSync(state);
  Object.assign(env, {
    PULUMI_BACKEND_URL: pathToFileURL(state).href,
    PULUMI_CONFIG_PASSPHRASE: "demo",
    PULUMI_HOME: join(folder, "home"),
    PULUMI_SKIP_UPDATE_CHECK: "1",
  });
}

/** Prints Pulumi's lines, but not the repetition: Pulumi repeats every message under Diagnostics. */
function quoter(): (line: string) => void {
  let repeating = false;
  return (line) => {
    if (line.startsWith("Diagnostics:")) repeating = true;
    if (line.startsWith("Resources:")) repeating = false;
    const idle = line.trim() === "" || /^@ |If you want to remove|still maintained| messages?$/.test(line);
    if (!repeating && !idle) say(`     pulumi | ${short(line)}`);
  };
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
