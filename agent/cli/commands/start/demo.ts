import { renameSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FleetkeeperError } from "../../../../service/contract/errors.ts";
import { type Asking, GPUS, playStory } from "../../demo/story.ts";
import { type CliContext, programName } from "../shared/cli-context.ts";

/** By a fleet file, where no Pulumi is. */
const ASKING: Asking = {
  ask: {
    title: `A fleet file asks for ${GPUS} GPUs, while the service has a bad day`,
    play: async ({ folder, wire, note, until, running }) => {
      const lines = [...wire.serviceLines, "fleets:", ...wire.fleetLines(GPUS)];
      for (const line of lines) note(`fleet.yaml | ${line}`);
      // In one step, as an editor saves it.
      const file = join(folder, "fleet.yaml");
      writeFileSync(`${file}.new`, `${lines.join("\n")}\n`);
      renameSync(`${file}.new`, file);
      await until(`${GPUS} GPUs run`, () => running() >= GPUS);
      return undefined;
    },
  },
  again: {
    title: "The agent is killed (kill -9), and another one begins: it knows the machines, and rents nothing",
    play: async ({ startAgent, fleetkeeper }, agent) => {
      await agent.stop("SIGKILL");
      const next = await startAgent();
      await fleetkeeper(["status"]);
      return next;
    },
  },
  end: {
    title: "Everything stops",
    play: async ({ fleetkeeper, wire, note }) => {
      const command = wire.shows.end ? ["stop", "--all", "--yes"] : ["drain", "training", "--yes"];
      note(`fleetkeeper ${command.join(" ")}`);
      await fleetkeeper(command);
      return undefined;
    },
  },
};

export interface DemoFlags {
  readonly profile?: string;
}

/**
 * `fleetkeeper demo`: the whole story against a simulated service on this machine, without Pulumi. Real processes,
 * and no setting, ledger or key of the user's.
 */
export async function demoCommand({ profile }: DemoFlags, cli: CliContext): Promise<number> {
  const { environment, signal, print, self } = cli;
  if (!self) throw new Error("the demo starts fleetkeeper, and was not told how");
  try {
    await playStory(ASKING, { environment, signal, print, self, profile, parent: tmpdir() });
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof FleetkeeperError) throw error;
    cli.tell(`\nThe demo did not come to its end: ${error instanceof Error ? error.message : String(error)}`);
    return 1;
  }
  print(`   All of it was simulated, and nothing of it is left. The next step: ${programName(cli)} simulate`);
  return 0;
}
