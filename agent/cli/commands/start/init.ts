import { existsSync } from "node:fs";
import { dirname, isAbsolute, join, relative, resolve } from "node:path";
import { ENVIRONMENT, fromEnvironment } from "../../../../account/configuration.ts";
import { checkBaseUrl } from "../../../../service/http/base-url.ts";
import { loadProfile, readProfile } from "../../../../service/profile/profile-file.ts";
import { parseFleetFile } from "../../../fleet/file/fleet-file.ts";
import { propose } from "../../../propose/index.ts";
import { addressOf } from "../../../propose/saved/classify.ts";
import { fromOf, type Gathered, gather } from "../../../propose/saved/gather.ts";
import { readSavedFile } from "../../../propose/saved/saved-file.ts";
import type { Proposal } from "../../../propose/wire.ts";
import { askCalls } from "../../init/ask-calls.ts";
import { fleetFileText } from "../../init/fleet-file-text.ts";
import { type Answers, authWire, fileName, type Given, interview, nameOfHost } from "../../init/interview.ts";
import { profileText } from "../../init/profile-text.ts";
import { proposalText } from "../../init/proposal-text.ts";
import { type CliContext, mistake, programName } from "../shared/cli-context.ts";
import { type CloudFlags, initCloud } from "./init-cloud.ts";
import { refuseToOverwrite, write } from "./init-files.ts";

export interface InitFlags extends CloudFlags {
  /** A service whose profile ships. */
  readonly cloud?: string;
  readonly name?: string;
  readonly profile?: string;
  readonly authHeader?: string;
  readonly authValue?: string;
  /** Files with saved answers, requests or an OpenAPI document; `launch=FILE` says what an answer is. */
  readonly from?: readonly string[];
}

/**
 * `fleetkeeper init`: asks, reads what `--from` names, and writes a fleet file and the skeleton of a wire profile. It writes only after
 * the last answer and overwrites nothing. What nobody answered stays open in the files.
 */
export async function initCommand(flags: InitFlags, cli: CliContext): Promise<number> {
  if (flags.cloud !== undefined) return initCloud(flags.cloud, flags, cli);
  if (flags.answer !== undefined) throw mistake("--answer is for what --cloud NAME asks: say which.");
  const config = flags.config ?? "fleet.yaml";
  refuseToOverwrite(config, "name another one with --config");
  const proposal = await proposalOf(flags, cli);
  const given = givenAnswers(flags, proposal, cli);
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
      ...(proposal ? proposalText(proposal, answers.wire) : []),
      `Written: ${[...files.keys()].join(" and ")}. Next:`,
      ...(key
        ? []
        : [`  export ${ENVIRONMENT.apiKey}=...   # or ${ENVIRONMENT.apiKey}_FILE=..., a file that holds it`]),
      ...(proposal && cli.environment[ENVIRONMENT.profile]
        ? [`  unset ${ENVIRONMENT.profile}   # it names another profile, and wins over the fleet file`]
        : []),
      `  ${programName(cli)} doctor${more}   # reads the service, and says what the profile still lacks`,
    ].join("\n"),
  );
  return 0;
}

/** What the files of `--from` show. Throws CONFIG if one of them shows nothing: its remedy is told. */
async function proposalOf({ from, profile, yes }: InitFlags, cli: CliContext): Promise<Proposal | undefined> {
  if (from === undefined) return undefined;
  if (profile !== undefined)
    throw mistake("--from writes a new profile, and --profile names one that is there: say one of the two.");
  const gathered = gather(from.map(fromOf), readSavedFile);
  if (gathered.troubles.length > 0)
    throw mistake(`Nothing was written, since not all files can be used:\n${gathered.troubles.join("\n")}`);
  refuseOtherPaths(gathered);
  const said = yes || !cli.ask ? gathered : await askCalls(gathered, cli.ask);
  return propose(said, fromEnvironment(ENVIRONMENT.apiKey, cli.environment));
}

/** Answers alone do not say which call is which: a profile for the specification's paths would fit nothing there. */
function refuseOtherPaths({ asked, shown, documents }: Gathered): void {
  const isElsewhere = asked.every(({ path, kind }) => path === undefined || kind === undefined);
  const isAll = shown.every(({ query }) => query !== undefined);
  if (asked.length === 0 || !isElsewhere || !isAll || documents.length > 0) return;
  const paths = [
    ...new Set(asked.map(({ request }) => `${request.method} ${addressOf(request).before}`)),
  ].slice(0, 3);
  throw mistake(
    `Nothing was written: no request in these files goes to a path that the specification shows (${paths.join(", ")}), so it is another service, and no answer says which of its calls launches, lists and stops. Give its OpenAPI document, too: --from FILE. Or write the calls yourself: docs/reference/wire-profile.md, profile 2.`,
  );
}

/** The answers in flags, environment and files, in this order. */
function givenAnswers(flags: InitFlags, proposal: Proposal | undefined, { environment }: CliContext): Given {
  const baseUrl = flags.baseUrl ?? fromEnvironment(ENVIRONMENT.baseUrl, environment) ?? proposal?.baseUrl;
  const profile = flags.profile ?? (proposal ? undefined : fromEnvironment(ENVIRONMENT.profile, environment));
  const account = flags.account ?? fromEnvironment(ENVIRONMENT.account, environment);
  if (profile !== undefined) loadProfile(profile);
  if (flags.name !== undefined && fileName(flags.name))
    throw mistake(`--name ${flags.name}: ${fileName(flags.name)}`);
  return {
    name: flags.name,
    baseUrl: baseUrl === undefined ? undefined : checkBaseUrl(baseUrl),
    account: account === "exclusive" || account === "shared" ? account : undefined,
    profile,
    wire: { ...proposal?.wire, ...authOf(flags) },
    isFromFiles: proposal !== undefined,
    states: proposal?.states,
    fleet: fleetOf(flags),
  };
}

function authOf({ authHeader: header, authValue: value }: InitFlags): Answers["wire"] {
  if (header === undefined && value === undefined) return {};
  if (header !== undefined && value !== undefined) return authWire({ header, value });
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
  const { name = nameOfHost(baseUrl), profile, wire = {}, isFromFiles = false, fleet } = given;
  return { name, baseUrl, account, profile, wire, isFromFiles, fleet };
}

function profileOf(config: string, name: string): string {
  return join(dirname(config), `${name}.profile.yaml`);
}

/** The path for the fleet file: relative to its folder if the profile is below that, else absolute. */
function fromFolderOf(config: string, file: string): string {
  const folder = dirname(resolve(config));
  const path = relative(folder, resolve(file));
  return path.startsWith("..") || isAbsolute(path) ? resolve(file) : `./${path}`;
}
