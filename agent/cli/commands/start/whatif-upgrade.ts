import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { jsonOr } from "../../../../service/text/json.ts";
import { whyNotRun } from "../../../ask/programs.ts";
import { type WhatIf, whatifSchema } from "../../../json/whatif.ts";
import { type CliContext, mistake } from "../shared/cli-context.ts";

/** Which market is played, and how often. */
export interface PlayFlags {
  readonly days: number;
  readonly seeds: number;
  readonly history?: string;
  readonly market?: string;
  readonly service?: string;
}

/** In bytes. What prints more is no fleetkeeper. */
const MOST_OUTPUT = 256 * 2 ** 20;

/** What another version of fleetkeeper plays, by the same flags and at the same moment, in ms. Throws CONFIG where it cannot. */
export async function playedByOther(
  program: string,
  file: string,
  { days, seeds, history, market, service }: PlayFlags,
  at: number,
  cli: CliContext,
): Promise<WhatIf> {
  const given = { history, market, service, days, seeds, at: new Date(at).toISOString() };
  const flags = Object.entries(given).flatMap(([key, value]) =>
    value === undefined ? [] : [`--${key}`, `${value}`],
  );
  const away = whyNotRun(program, process.cwd(), cli.environment.PATH);
  if (away) throw mistake(`--upgrade ${program}: ${away.why}. ${away.remedy}.`);
  cli.screen?.write(`\r${program} plays\u001b[K`);
  const { stdout } = await promisify(execFile)(program, ["whatif", file, "--json", ...flags], {
    env: { ...cli.environment },
    signal: cli.signal,
    maxBuffer: MOST_OUTPUT,
  }).catch((error: Error & { stderr?: string; code?: number | string }) => {
    cli.signal.throwIfAborted();
    const said = error.stderr?.trim() || `it ended with ${error.code ?? error.message}.`;
    throw mistake(
      `--upgrade ${program}: ${said}\nName the fleetkeeper of another version, 0.1.0 or newer, such as node_modules/.bin/fleetkeeper.`,
      { cause: error },
    );
  });
  const { data, error } = whatifSchema.safeParse(jsonOr(stdout));
  if (data) return data;
  const { path = [], message = "" } = error.issues[0] ?? {};
  throw mistake(
    `--upgrade ${program}: it did not print what this version's whatif --json prints: ${path.join(".") || "its output"}: ${message}.`,
  );
}
