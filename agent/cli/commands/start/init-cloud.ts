import { ENVIRONMENT, fromEnvironment } from "../../../../account/configuration.ts";
import { readable } from "../../../../service/contract/unread.ts";
import { checkBaseUrl } from "../../../../service/http/base-url.ts";
import { abilitiesOf } from "../../../../service/profile/abilities.ts";
import { loadProfile } from "../../../../service/profile/profile-file.ts";
import { parseFleetFile } from "../../../fleet/file/fleet-file.ts";
import { type Cloud, cloudOf } from "../../clouds/cloud.ts";
import { cloudFleetText } from "../../clouds/fleet-file.ts";
import { keyQuestion, modelsOf, type Question, questionsOf } from "../../clouds/questions.ts";
import { fileName } from "../../init/interview.ts";
import { planCommand } from "../fleets/plan.ts";
import { type CliContext, mistake, programName } from "../shared/cli-context.ts";
import { withService } from "../shared/opening.ts";
import { doctorCommand } from "./doctor.ts";
import { refuseToOverwrite, write } from "./init-files.ts";

export interface CloudFlags {
  readonly config?: string;
  readonly yes?: boolean;
  readonly baseUrl?: string;
  readonly account?: "exclusive" | "shared";
  readonly fleet?: string;
  readonly gpus?: number;
  readonly gpuModel?: string;
  /** What the service's profile asks: NAME=VALUE. */
  readonly answer?: readonly string[];
}

/**
 * `fleetkeeper init --cloud NAME`: asks for what is the user's and nothing else, writes the fleet file, and then looks:
 * doctor and plan. It launches nothing.
 */
export async function initCloud(name: string, flags: CloudFlags, cli: CliContext): Promise<number> {
  const cloud = cloudOf(name);
  const { profile } = loadProfile(name);
  const config = flags.config ?? "fleet.yaml";
  if (fromEnvironment(ENVIRONMENT.profile, cli.environment))
    throw mistake(
      `${ENVIRONMENT.profile} names another profile, and wins over the fleet file: unset it first.`,
    );
  refuseToOverwrite(config, "name another one with --config");
  if (flags.fleet !== undefined && fileName(flags.fleet))
    throw mistake(`--fleet ${flags.fleet}: ${fileName(flags.fleet)}`);
  const baseUrl = checkBaseUrl(
    flags.baseUrl ?? fromEnvironment(ENVIRONMENT.baseUrl, cli.environment) ?? cloud.baseUrl,
  );
  const { marker } = abilitiesOf(profile);
  const tenure = flags.account ?? fromEnvironment(ENVIRONMENT.account, cli.environment);
  const account: "exclusive" | "shared" =
    tenure === "exclusive" || tenure === "shared" ? tenure : marker ? "shared" : "exclusive";
  const key = keyQuestion(cloud);
  const questions = questionsOf(cloud, profile);
  const given = givenIn(flags, [key, ...questions]);
  const answers = new Map<string, string>();
  const ask = flags.yes ? undefined : cli.ask;
  cli.tell(
    `${cloud.service}${cloud.tried === "machines" ? "" : ", by its document: nobody has rented there with this profile yet"}. ` +
      `Nothing is written before the last answer, and nothing is launched.`,
  );
  if (!marker)
    cli.tell(
      "Its machines carry no marker: nobody else may launch or stop in this account, and one launch goes out at a time.",
    );
  if (!ask) complain([key, ...questions], given);
  answers.set("apiKey", await answerTo(key, given, ask));
  const secret = fromEnvironment(answers.get("apiKey") ?? "", cli.environment);
  for (const question of questions)
    answers.set(
      question.name,
      given.has(question.name) || !ask || question.name !== "gpuModel" || secret === undefined
        ? await answerTo(question, given, ask)
        : await modelOf(question),
    );
  const text = cloudFleetText(cloud, profile, {
    name,
    fleet: flags.fleet ?? name,
    baseUrl,
    account,
    answers,
  });
  parseFleetFile(text, config);
  write(new Map([[config, text]]));
  const more = flags.config === undefined ? "" : ` --config ${config}`;
  const self = programName(cli);
  cli.print(`Written: ${config}.`);
  const run = (command: string) => `  ${self} ${command}${more}`;
  const agent = `${run("agent")}   # launches what the plan says, and keeps it`;
  if (secret === undefined) {
    const set = `  export ${answers.get("apiKey")}=...`;
    cli.print(["Next:", set, run("doctor"), run("plan"), agent].join("\n"));
    return 0;
  }
  const found = await doctorCommand({ config }, cli);
  if (found !== 0) {
    cli.print(["What the doctor calls a problem comes first. Then:", run("plan"), agent].join("\n"));
    return found;
  }
  const planned = await planCommand({ config }, cli);
  cli.print(["Next:", agent].join("\n"));
  return planned;

  /** One of those that can be had now. Where they cannot be read, the person says it. */
  async function modelOf(question: Question): Promise<string> {
    try {
      const settings = settingsIn(cloud, answers);
      const configuration = { baseUrl, profile: name, settings, apiKey: secret, account, ledger: "" };
      const offers = await withService(configuration, cli, (service) => service.offers(cli.signal));
      const models = modelsOf(readable(offers), profile.currency);
      if (ask && models.length > 0) return await ask.select("Which GPU? These can be had now:", models);
    } catch (error) {
      if (cli.signal.aborted) throw error;
      cli.tell(`${(error as Error).message} So the offers are not shown here.`);
    }
    return answerTo(question, given, ask);
  }
}

function settingsIn({ asks }: Cloud, answers: ReadonlyMap<string, string>): Record<string, string> {
  const names = asks.flatMap(({ placeholder }) => /^settings\.(.+)$/.exec(placeholder)?.[1] ?? []);
  return Object.fromEntries(names.map((name) => [name, answers.get(name) ?? ""]));
}

async function answerTo(
  { name, question, initial, check }: Question,
  given: ReadonlyMap<string, string>,
  ask: CliContext["ask"],
): Promise<string> {
  const said = given.get(name);
  if (said !== undefined || !ask) return said ?? initial ?? "";
  return ask.input(question, { ...(initial && { initial }), ...(check && { check }) });
}

/** What flags answer. Throws CONFIG for what nobody asks, and for what is no answer. */
function givenIn(flags: CloudFlags, questions: readonly Question[]): ReadonlyMap<string, string> {
  const { gpus, gpuModel, answer = [] } = flags;
  const said = answer.map((each) => [each.split("=")[0] ?? "", each.slice(each.indexOf("=") + 1)] as const);
  const given = new Map([
    ...(gpus === undefined ? [] : [["gpus", String(gpus)] as const]),
    ...(gpuModel === undefined ? [] : [["gpuModel", gpuModel] as const]),
    ...said,
  ]);
  for (const [name, value] of given) {
    const question = questions.find((each) => each.name === name);
    const names = questions.map((each) => each.name).join(", ");
    if (!question) throw mistake(`--answer ${name}: nothing of this name is asked. There are: ${names}.`);
    const problem = question.check?.(value);
    if (problem) throw mistake(`--answer ${name}=${value}: ${problem}`);
  }
  return given;
}

function complain(questions: readonly Question[], given: ReadonlyMap<string, string>): void {
  const open = questions.filter(({ name, initial }) => initial === undefined && !given.has(name));
  if (open.length === 0) return;
  const lines = open.map(({ name, question }) => `  --answer ${name}=...   # ${question}`);
  throw mistake(`Nothing can be asked here, and nothing was written. Say:\n${lines.join("\n")}`);
}
