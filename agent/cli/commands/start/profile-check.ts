import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { cleanFor, jsonText } from "../../../fleet/text/text.ts";
import { checkRecording } from "../../profile-check/check.ts";
import { readRecording } from "../../profile-check/recording.ts";
import type { CliContext } from "../shared/cli-context.ts";
import { textOf } from "../shared/restart-needed.ts";

export interface ProfileCheckFlags {
  readonly write?: boolean;
}

/** `fleetkeeper profile check FOLDER`: holds a wire profile to recorded answers. Nothing is sent. 1 if they differ. */
export async function profileCheckCommand(
  folder: string,
  { write = false }: ProfileCheckFlags,
  cli: CliContext,
): Promise<number> {
  const clean = cleanFor(cli);
  const recording = readRecording(folder);
  const { about, recorded } = recording;
  const { reads, problems, untried, missing } = await checkRecording(recording, cli.signal);
  const file = join(folder, "reads.json");
  const text = `${jsonText(reads)}\n`;
  const differs = !write && textOf(file) !== text;
  if (write) writeFileSync(file, text);
  cli.print(
    `${clean(about.service)}: ${recorded.length} recorded answers of ${about.date}, ${TRIED[about.tried]}`,
  );
  for (const problem of problems) cli.print(`  wrong: ${clean(problem, 2000)}`);
  if (differs)
    cli.print(
      `  wrong: ${clean(file)} is not what the profile reads. Look at what it reads with --write, and at git diff`,
    );
  if (untried.length > 0) cli.print(`  not recorded: ${untried.join(", ")}`);
  if (missing.length > 0) cli.print(`  not in the profile: ${missing.join(", ")}`);
  const isRight = problems.length === 0 && !differs;
  if (isRight)
    cli.print(`  Each request is the recorded one, and each answer was read as ${clean(file)} says.`);
  return isRight ? 0 : 1;
}

const TRIED = {
  document: "written from its document, and untried against the live service",
  answers: "nothing was launched with it",
  simulator: "an invented service",
  machines: "machines were launched and stopped with it",
} as const;
