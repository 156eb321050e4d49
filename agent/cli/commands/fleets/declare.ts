import { readFile } from "node:fs/promises";
import { z } from "zod";
import { parseDocument } from "../../../../service/document/document.ts";
import { counted } from "../../../../service/text/counted.ts";
import { andMore, cleanFor, jsonText } from "../../../fleet/text/text.ts";
import { fleetPartsSchema, foreseenSchema, servicesPlanSchema } from "../../../json/agent.ts";
import { declaredSchema, type FileSaid, type PartSaid, partsSaid } from "../../../json/answers.ts";
import { planText } from "../../../planning/told/plan-text.ts";
import type { AccountApi } from "../../../remote/agent-client.ts";
import { PATHS } from "../../../remote/paths.ts";
import { type RemoteAccount, withAccounts } from "../shared/by-agent.ts";
import type { CliContext } from "../shared/cli-context.ts";
import { mistake } from "../shared/cli-context.ts";
import { confirmed, STOPPED_BY_PERSON } from "../shared/confirm.ts";
import { printServices } from "./plan.ts";

export interface DeclareFlags {
  readonly service?: string;
  readonly remove?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly json?: boolean;
}

const overForeseenSchema = servicesPlanSchema.extend({ answer: partsSaid(declaredSchema) });
const fileForeseenSchema = foreseenSchema.extend({ answer: declaredSchema });

/** `fleetkeeper declare NAME FILE`: has an agent keep the fleets of a file, under a name. `--remove`: none of them any more. */
export async function declareCommand(
  name: string,
  file: string | undefined,
  flags: DeclareFlags,
  cli: CliContext,
): Promise<number> {
  const { agent } = cli;
  if (!agent)
    throw mistake(
      "declare asks an agent: name it with --agent or FLEETKEEPER_AGENT. Beside a ledger, fleetkeeper agent --config FILE keeps a fleet file.",
    );
  if ((file === undefined) !== (flags.remove === true))
    throw mistake("say one of the two: a fleet file to declare, or --remove to take back what was declared.");
  const fleets = file === undefined ? undefined : await fleetsIn(file);
  if (flags.service !== undefined && fleets?.some((fleet) => "services" in fleet || "service" in fleet))
    throw mistake(`${file}: its fleets say which service keeps them, so leave --service out.`);
  return withAccounts(agent, flags.service, cli, async (accounts, root) => {
    const [account] = accounts;
    if (!account || accounts.length > 1) return declareOver(name, fleets, accounts, root, flags, cli);
    const order = (drains?: readonly string[]) => ({
      ...orderOf(PATHS.fleetFile(name), fleets),
      body: { fleets, drains },
    });
    const foreseen = await account.order({ ...order(), dryRun: true }, fileForeseenSchema);
    if (flags.dryRun) {
      const { answer, fleets: plans } = foreseen;
      if (flags.json) cli.print(jsonText({ ...answer, fleets: plans }));
      else cli.print([...changesOf(answer), planText(plans, cleanFor(cli))].join("\n"));
      return foreseen.believed ? 0 : 1;
    }
    const { drains } = foreseen.answer;
    const question = questionOf(foreseen, fleets);
    if (question !== undefined && !(await confirmed(question, flags.yes, cli))) return STOPPED_BY_PERSON;
    const said = await account.order(order(drains), declaredSchema);
    cli.print(flags.json ? jsonText(said) : changesOf(said).join("\n"));
    return 0;
  });
}

type Fleets = z.output<typeof documentSchema>["fleets"] | undefined;

function orderOf(path: string, fleets: Fleets) {
  return { method: fleets ? ("PUT" as const) : ("DELETE" as const), path };
}

/** In all services of the agent. What is asked about is what is ordered: by the version of all that the file has there. */
async function declareOver(
  name: string,
  fleets: Fleets,
  accounts: readonly RemoteAccount[],
  root: AccountApi,
  flags: DeclareFlags,
  cli: CliContext,
): Promise<number> {
  const path = PATHS.fileOver(name);
  const { version } = await root.read(path, fleetPartsSchema);
  const order = (drains?: readonly string[]) => ({
    ...orderOf(path, fleets),
    body: { fleets, drains, version },
  });
  const foreseen = await root.order({ ...order(), dryRun: true }, overForeseenSchema);
  const { answer, ...plan } = foreseen;
  const said = merged(answer.parts);
  if (flags.dryRun) {
    const services = accounts.flatMap(({ service }) => service ?? []);
    if (!flags.json) cli.print(changesOf(said).join("\n"));
    return printServices(plan, services, flags.json === true && { json: said }, cli);
  }
  for (const { service, error } of plan.errors)
    cli.tell(`${service} cannot be asked, so what would follow there is not known: ${cleanFor(cli)(error)}`);
  const wholes = plan.wholes.flatMap((whole) =>
    fleets?.some((each) => each.name === whole.name)
      ? whole.services.map(({ fleet }) => ({ name: fleet }))
      : [],
  );
  const question = questionOf({ answer: said, fleets: plan.fleets }, [...(fleets ?? []), ...wholes]);
  if (question !== undefined && !(await confirmed(question, flags.yes, cli))) return STOPPED_BY_PERSON;
  const { parts } = await root.order(order([...said.drains]), partsSaid(declaredSchema));
  const now = merged(parts);
  cli.print(flags.json ? jsonText(now) : changesOf(now).join("\n"));
  for (const { service, hasAgent } of parts)
    if (!hasAgent)
      cli.tell(`${service}: no agent keeps its account now, so nothing is done there before one does.`);
  return 0;
}

/** Each change with its service, as an agent of several logs it. */
function merged(parts: readonly PartSaid<FileSaid>[]): FileSaid {
  return {
    changes: parts.flatMap(({ service, answer }) =>
      answer.changes.map((text) => (service === null ? text : `${service}: ${text}`)),
    ),
    drains: parts.flatMap(({ answer }) => answer.drains),
  };
}

/** What a person is asked first: whether what drains, or runs and is wanted no more, is to stop. */
function questionOf(
  {
    answer: { drains },
    fleets,
  }: { readonly answer: FileSaid } & Pick<z.output<typeof fileForeseenSchema>, "fleets">,
  declared: readonly { readonly name?: unknown }[] = [],
): string | undefined {
  const its = new Set<unknown>([...drains, ...declared.map(({ name }) => name)]);
  const stops = fleets.filter(({ fleet }) => its.has(fleet)).flatMap((each) => each.stops);
  if (drains.length === 0 && stops.length === 0) return undefined;
  const drain = drains.length > 0 ? `Drain ${andMore(drains, 10)}` : "Do it";
  return `${drain} (${counted(stops.length, "machine")} would be stopped now)?`;
}

function changesOf({ changes }: FileSaid): readonly string[] {
  return changes.length > 0 ? changes : ["Nothing else is asked for than before."];
}

const documentSchema = z.looseObject({ fleets: z.array(z.record(z.string(), z.json())) });

/** As it stands in the file: what is wrong with a fleet says the agent, which may be of another version. */
async function fleetsIn(file: string): Promise<z.output<typeof documentSchema>["fleets"]> {
  const text = await readFile(file, "utf8").catch((error: Error) => {
    throw mistake(`${file}: cannot be read (${error.message}).`);
  });
  const { value } = parseDocument(text, file, documentSchema);
  const others = Object.keys(value).filter((key) => key !== "fleets");
  if (others.length === 0) return value.fleets;
  throw mistake(
    `${file}: has ${others.join(", ")} beside fleets. An agent keeps only the fleets of such a file, and has all else in its own: take it out.`,
  );
}
