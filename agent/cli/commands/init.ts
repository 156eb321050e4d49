import { existsSync, rmSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { ENVIRONMENT, fromEnvironment } from "../../../launch/configuration.ts";
import { checkBaseUrl } from "../../../service/base-url.ts";
import { loadProfile, readProfile } from "../../../service/profile-file.ts";
import { parseFleetFile } from "../../fleet/fleet-file.ts";
import { fleetFileText, profileText } from "../init/files.ts";
import { type Answers, fileName, type Given, interview, nameOfHost } from "../init/interview.ts";
import type { CliContext } from "./cli-context.ts";
import { mistake, programName } from "./cli-context.ts";

export interface InitFlags {
  readonly config?: string;
  readonly yes?: boolean;
  readonly name?: string;
  readonly baseUrl?: string;
  readonly account?: "exclusive" | "shared";
  readonly profile?: string;
  readonly authHeader?: string;
  readonly authValue?: string;
  readonly fleet?: string;
  readonly gpus?: number;
  readonly gpuModel?: string;
}

/**
 * `fleetkeeper init`: asks, and writes a fleet file and the skeleton of a wire profile. It writes only after
 * the last answer and overwrites nothing. What nobody answered stays open in the files.
 */
export async function initCommand(flags: InitFlags, cli: CliContext): Promise<number> {
  const config = flags.config ?? "fleet.yaml";
  refuseToOverwrite(config, "name another one with --config");
  const given = givenAnswers(flags, cli);
  const answers = await complete(given, flags, config, cli);
  const profileFile = answers.profile ?? profileOf(config, answers.name);
  const files = new Map<string, string>();
  if (answers.profile === undefined) {
    refuseToOverwrite(profileFile, `use it with --profile ${profileFile}, or choose another --name`);
    files.set(profileFile, profileText(answers));
    readProfile(files.get(profileFile) ?? "", profileFile);
  }
  files.set(config, fleetFileText(answers, fromFolderOf(config, profileFile)));
  parseFleetFile(files.get(config) ?? "", config);
  write(files);
  const more = flags.config === undefined ? "" : ` --config ${config}`;
  const key = cli.environment[ENVIRONMENT.apiKey] || cli.environment[`${ENVIRONMENT.apiKey}_FILE`];
  cli.print(
    [
      `Written: ${[...files.keys()].join(" and ")}. Next:`,
      ...(key
        ? []
        : [`  export ${ENVIRONMENT.apiKey}=...   # or ${ENVIRONMENT.apiKey}_FILE=..., a file that holds it`]),
      `  ${programName(cli)} doctor${more}   # reads the service, and says what the profile still lacks`,
    ].join("\n"),
  );
  return 0;
}

/** The answers in flags and environment. */
function givenAnswers(flags: InitFlags, { environment }: CliContext): Given {
  const baseUrl = flags.baseUrl ?? fromEnvironment(ENVIRONMENT.baseUrl, environment);
  const profile = flags.profile ?? fromEnvironment(ENVIRONMENT.profile, environment);
  const account = flags.account ?? fromEnvironment(ENVIRONMENT.account, environment);
  if (profile !== undefined) loadProfile(profile);
  if (flags.name !== undefined && fileName(flags.name))
    throw mistake(`--name ${flags.name}: ${fileName(flags.name)}`);
  return {
    name: flags.name,
    baseUrl: baseUrl === undefined ? undefined : checkBaseUrl(baseUrl),
    account: account === "exclusive" || account === "shared" ? account : undefined,
    profile,
    auth: authOf(flags),
    fleet: fleetOf(flags),
  };
}

function authOf({ authHeader: header, authValue: value }: InitFlags): Answers["auth"] {
  if (header === undefined && value === undefined) return undefined;
  if (header !== undefined && value !== undefined) return { header, value };
  throw mistake("--auth-header and --auth-value belong together: say both, or neither.");
}

function fleetOf({ fleet: name, gpus, gpuModel }: InitFlags): Answers["fleet"] {
  if (name === undefined && gpus === undefined && gpuModel === undefined) return undefined;
  if (name !== undefined && gpus !== undefined && gpuModel !== undefined)
    return { name, gpus, source: { gpuModel } };
  throw mistake("--fleet, --gpus and --gpu-model belong together: say all three, or none.");
}

/** Asks for the other answers. With --yes they stay open. */
async function complete(
  given: Given,
  { yes }: InitFlags,
  config: string,
  { ask, tell }: CliContext,
): Promise<Answers> {
  if (!yes && ask) {
    tell(
      `Nothing is written before the last answer. Then: ${config}${given.profile === undefined ? " and a wire profile beside it" : ""}.`,
    );
    const taken = (name: string): string | undefined =>
      existsSync(profileOf(config, name))
        ? `${profileOf(config, name)} is there already, and init overwrites nothing.`
        : undefined;
    return interview(ask, given, taken);
  }
  const { baseUrl, account } = given;
  const missing = [
    ...(baseUrl === undefined ? ["--base-url URL (the address of the service)"] : []),
    ...(account === undefined
      ? ["--account exclusive (nobody else launches or stops in it) or --account shared"]
      : []),
    ...(yes ? [] : ["--yes (to leave open what is not said)"]),
  ];
  if (baseUrl === undefined || account === undefined || !yes) {
    const where = yes ? "With --yes nothing is asked" : "There is no terminal to ask at";
    throw mistake(`${where}, and nothing was written. Say ${missing.join(", and ")}.`);
  }
  const { name = nameOfHost(baseUrl), profile, auth, fleet } = given;
  return { name, baseUrl, account, profile, auth, items: undefined, whole: false, fleet };
}

function profileOf(config: string, name: string): string {
  return join(dirname(config), `${name}.profile.yaml`);
}

function refuseToOverwrite(file: string, remedy: string): void {
  if (!existsSync(file)) return;
  throw mistake(`${file} is there already, and init overwrites nothing: ${remedy}.`);
}

/** The path for the fleet file: relative to its folder if the profile is below that, else absolute. */
function fromFolderOf(config: string, file: string): string {
  const folder = dirname(resolve(config));
  const path = relative(folder, resolve(file));
  return path.startsWith("..") || isAbsolute(path) ? resolve(file) : `./${path}`;
}

/** Writes all files or none. */
function write(files: ReadonlyMap<string, string>): void {
  const written: string[] = [];
  try {
    for (const [file, text] of files) {
      writeFileSync(file, text, { flag: "wx" });
      written.push(file);
    }
  } catch (error) {
    for (const file of written) rmSync(file);
    const { code, message } = error as NodeJS.ErrnoException;
    const file = [...files.keys()][written.length] ?? "";
    const why = code === "ENOENT" ? `there is no folder ${dirname(file)}` : message;
    throw mistake(`Nothing was written: ${why}.`, { cause: error });
  }
}
