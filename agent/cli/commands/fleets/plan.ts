import { configuredLedger } from "../../../../account/configuration.ts";
import type { OpenKeeper } from "../../../../account/open.ts";
import { openLedger } from "../../../../account/open-ledger.ts";
import { CAUSES, type ErrorCode, FleetkeeperError } from "../../../../service/contract/errors.ts";
import type { Declared } from "../../../fleet/declare/declare-all.ts";
import type { FleetFile } from "../../../fleet/file/fleet-file.ts";
import { severalOf } from "../../../fleet/file/of-service.ts";
import { cleanFor, indent, jsonText } from "../../../fleet/text/text.ts";
import { planKnownSchema, type ServicesPlan, servicesPlanSchema } from "../../../json/agent.ts";
import type { PlanFacts } from "../../../json/plan.ts";
import type { WholeStatus } from "../../../json/whole.ts";
import { costsIn, sumOfCosts } from "../../../planning/told/costs.ts";
import { planFacts } from "../../../planning/told/fleet-plan.ts";
import { moneyLines, planText, stepsOf } from "../../../planning/told/plan-text.ts";
import type { Foreseen } from "../../../reconcile/preview.ts";
import { preview, readInput } from "../../../reconcile/preview.ts";
import { planOfServices, type ServiceRead } from "../../../reconcile/preview-services.ts";
import type { AgentAddress } from "../../../remote/agent-address.ts";
import { PATHS } from "../../../remote/paths.ts";
import { CHOOSING } from "../../../status/whole-status.ts";
import { wholeText } from "../../../status/whole-text.ts";
import { withAccounts } from "../shared/by-agent.ts";
import type { CliContext } from "../shared/cli-context.ts";
import { closing } from "../shared/closing.ts";
import type { AskFlags } from "../shared/flags.ts";
import {
  configurationOf,
  isSourceDeleted,
  ledgerFlag,
  nothingForAll,
  readFleetFile,
} from "../shared/flags.ts";
import { contextHere } from "../shared/ledger.ts";
import { measuredOf } from "../shared/measured.ts";
import { withKeeper } from "../shared/opening.ts";

/** `fleetkeeper plan`: what the agent would do now, and why. Nothing is launched or stopped. */
export async function planCommand(flags: AskFlags, cli: CliContext): Promise<number> {
  if (cli.agent) return planThere(cli.agent, flags, cli);
  const file = await readFleetFile(flags);
  const several = severalOf(file);
  if (several) return planServices(flags, several, cli);
  const { believed, plans } = await readOf(flags, file, cli, (keeper, declared) =>
    preview(keeper, declared, cli.signal),
  );
  return printPlan({ fleets: plans.map(planFacts), believed }, flags, cli);
}

/** All services of the agent at once, as beside the ledger. */
function planThere(agent: AgentAddress, flags: AskFlags, cli: CliContext): Promise<number> {
  return withAccounts(agent, flags.service, cli, async ([first, ...others], root) => {
    const names = [first, ...others].flatMap((account) => account?.service ?? []);
    if (first && (names.length === 0 || flags.service !== undefined))
      return printPlan(await first.read(PATHS.plan, planKnownSchema), flags, cli);
    return printServices(
      await root.read(PATHS.ledger("plan", {}), servicesPlanSchema),
      names,
      asJson(flags),
      cli,
    );
  });
}

function printPlan(
  { fleets, believed }: { readonly fleets: readonly PlanFacts[]; readonly believed: boolean },
  { json }: AskFlags,
  cli: CliContext,
): number {
  cli.print(json ? jsonText({ fleets }) : planText(fleets, cleanFor(cli)));
  return believed ? 0 : 1;
}

/** A file with what is known of it where it is planned. */
export async function asPlanned(
  { ledger }: OpenKeeper,
  file: FleetFile,
  cli: CliContext,
): Promise<Declared & FleetFile & Foreseen> {
  return { ...file, isGone: isSourceDeleted(ledger), measured: await measuredOf(file.fleets, cli) };
}

function readOf<T>(
  flags: AskFlags,
  file: FleetFile | undefined,
  cli: CliContext,
  read: (keeper: OpenKeeper, declared: (Declared & FleetFile & Foreseen) | undefined) => Promise<T>,
  shared?: OpenKeeper["ledger"],
): Promise<T> {
  const work = async (keeper: OpenKeeper): Promise<T> =>
    read(keeper, file && (await asPlanned(keeper, file, cli)));
  return withKeeper(configurationOf(flags, file, cli), cli, work, shared && { shared });
}

/** All at once: one that does not answer holds up no other. What fleets have in several is planned as one. */
async function planServices(
  flags: AskFlags,
  several: readonly FleetFile[],
  cli: CliContext,
): Promise<number> {
  nothingForAll(flags, cli);
  const place = configuredLedger({ ledger: ledgerFlag(flags) }, cli.environment, several[0]?.configuration);
  const plan = await closing(await openLedger(place, Date.now()), async (shared) => {
    const asked = await Promise.all(several.map((file) => readOne(flags, file, cli, shared)));
    return planOfServices(asked, shared, contextHere(cli, shared));
  });
  const names = several.map(({ service }) => service?.name ?? "");
  return printServices(plan, names, asJson(flags), cli);
}

function asJson({ json }: AskFlags) {
  return json === true && { json: {} };
}

/** `json`: for programs, with what stands beside it there. */
export function printServices(
  { wholes, fleets, errors, believed }: ServicesPlan,
  names: readonly string[],
  json: false | { readonly json: object },
  cli: CliContext,
): number {
  const clean = cleanFor(cli);
  if (json) {
    const told = errors.map(({ service, error }) => ({ service, error }));
    cli.print(jsonText({ ...json.json, wholes, fleets, errors: told }));
  } else {
    const all = new Map(fleets.map((each) => [each.fleet, each]));
    const parts = new Set(wholes.flatMap(({ services }) => services.map(({ fleet }) => fleet)));
    const isTold = (service: string, error: string): boolean =>
      wholes.some(({ services }) => services.some((each) => each.service === service && each.why === error));
    for (const whole of wholes) {
      const parts = whole.services.flatMap(({ fleet }) => all.get(fleet) ?? []);
      cli.print(
        [
          wholeText(
            whole,
            (_, text) => text,
            clean,
            ({ fleet, why }) => stepsOf(all.get(fleet), [why, CHOOSING], clean),
          ),
          ...moneyOfWhole(whole, parts),
        ].join("\n"),
      );
    }
    for (const name of names) {
      const error = errors.find(({ service }) => service === name)?.error;
      const own = fleets.filter(({ service, fleet }) => service === name && !parts.has(fleet));
      if (own.length > 0 || parts.size === 0 || (error !== undefined && !isTold(name, error)))
        cli.print(`${name}\n${indent(error ?? planText(own, clean))}`);
    }
  }
  const codes = errors.map(({ code }) => CAUSES[code as ErrorCode]?.exitCode ?? 1);
  return Math.max(believed ? 0 : 1, ...codes);
}

async function readOne(
  flags: AskFlags,
  file: FleetFile,
  cli: CliContext,
  shared: OpenKeeper["ledger"],
): Promise<ServiceRead> {
  const service = file.service?.name ?? "";
  const parts = new Map(file.fleets.flatMap(({ name, part }) => (part ? [[part.of, name] as const] : [])));
  try {
    const looked = await readOf(
      flags,
      file,
      cli,
      (keeper, declared) => readInput(keeper, declared, cli.signal),
      shared,
    );
    return { service, parts, looked };
  } catch (error) {
    if (cli.signal.aborted || !(error instanceof FleetkeeperError)) throw error;
    return { service, parts, error: { text: cleanFor(cli)(error.message, 2000), code: error.code } };
  }
}

/** Amounts of several currencies have no sum. */
function moneyOfWhole({ currency }: WholeStatus, parts: readonly PlanFacts[]): readonly string[] {
  const [first] = parts;
  if (!first || currency === null) return [];
  return moneyLines({ ...first, currency }, sumOfCosts(parts.map((each) => costsIn(each.costs))));
}
