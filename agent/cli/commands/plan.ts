import { configuredLedger } from "../../../account/configuration.ts";
import type { OpenKeeper } from "../../../account/open.ts";
import { openLedger } from "../../../account/open-ledger.ts";
import { combinationText as placeOf } from "../../../service/contract/contract.ts";
import { CAUSES, FleetkeeperError } from "../../../service/contract/errors.ts";
import type { FleetFile } from "../../fleet/fleet-file.ts";
import { severalOf } from "../../fleet/of-service.ts";
import { type Clean, cleanFor, gpusText, indent, jsonText } from "../../fleet/text.ts";
import type { PlanFacts } from "../../json/plan.ts";
import type { FleetPlan } from "../../planning/fleet-plan.ts";
import { holdFacts } from "../../planning/fleet-plan.ts";
import type { Preview } from "../../reconcile/preview.ts";
import { preview } from "../../reconcile/preview.ts";
import type { CliContext } from "./cli-context.ts";
import { closing } from "./closing.ts";
import type { AskFlags } from "./flags.ts";
import { configurationOf, isSourceDeleted, ledgerFlag, nothingForAll, readFleetFile } from "./flags.ts";
import { withKeeper } from "./opening.ts";

/** `fleetkeeper plan`: what the agent would do now, and why. Nothing is launched or stopped. */
export async function planCommand(flags: AskFlags, cli: CliContext): Promise<number> {
  const file = await readFleetFile(flags);
  const several = severalOf(file);
  if (several) return planServices(flags, several, cli);
  const { believed, plans } = await planOf(flags, file, cli);
  if (flags.json) cli.print(jsonText({ fleets: plans.map(factsOf) }));
  else cli.print(planText(plans, cleanFor(cli)));
  return believed ? 0 : 1;
}

function planOf(
  flags: AskFlags,
  file: FleetFile | undefined,
  cli: CliContext,
  shared?: OpenKeeper["ledger"],
): Promise<Preview> {
  const look = (keeper: OpenKeeper): Promise<Preview> =>
    preview(keeper, file && { ...file, isGone: isSourceDeleted(keeper.ledger) }, cli.signal);
  return withKeeper(configurationOf(flags, file, cli), cli, look, shared && { shared });
}

/** All at once: one that does not answer holds up no other. */
async function planServices(
  flags: AskFlags,
  several: readonly FleetFile[],
  cli: CliContext,
): Promise<number> {
  nothingForAll(flags, cli);
  const clean = cleanFor(cli);
  const place = configuredLedger({ ledger: ledgerFlag(flags) }, cli.environment, several[0]?.configuration);
  const found = await closing(await openLedger(place, Date.now()), (shared) =>
    Promise.all(
      several.map(async (file) => {
        const service = file.service?.name ?? "";
        try {
          const { believed, plans } = await planOf(flags, file, cli, shared);
          return { service, code: believed ? 0 : 1, plans };
        } catch (error) {
          if (cli.signal.aborted || !(error instanceof FleetkeeperError)) throw error;
          return { service, code: CAUSES[error.code].exitCode, plans: [], error: clean(error.message, 2000) };
        }
      }),
    ),
  );
  const errors = found.flatMap(({ service, error }) => (error === undefined ? [] : [{ service, error }]));
  if (flags.json) {
    const fleets = found.flatMap(({ service, plans }) =>
      plans.map((each) => ({ service, ...factsOf(each) })),
    );
    cli.print(jsonText({ fleets, errors }));
  } else {
    for (const { service, plans, error } of found)
      cli.print(`${service}\n${indent(error ?? planText(plans, clean))}`);
  }
  return Math.max(...found.map(({ code }) => code));
}

export const NO_FLEETS = "No fleets: write one into a fleet file, or declare one in a Pulumi program.";

/** The plans for people. */
export function planText(plans: readonly FleetPlan[], clean: Clean): string {
  return plans.length === 0 ? NO_FLEETS : plans.flatMap((each) => linesOf(each, clean)).join("\n");
}

function linesOf(plan: FleetPlan, clean: Clean): readonly string[] {
  const alike = Map.groupBy(plan.launches, ({ option, why }) => `${placeOf(option)} ${why}`);
  const idle = plan.launches.length + plan.stops.length + plan.reasons.length === 0;
  return [
    `${clean(plan.fleet, 80)}: ${gpusText(plan.desired)} asked for, ${plan.running} running, ${plan.starting} starting` +
      (plan.stopping > 0 ? `, ${plan.stopping} stopping` : ""),
    ...[...alike.values()].map((each) => launchLine(each, clean)),
    ...plan.stops.map(({ id, why }) => `  stop    ${clean(id)}: ${clean(why)}`),
    ...plan.reasons.map((reason) => `  wait    ${clean(reason, 500)}`),
    ...(idle ? ["  nothing to do"] : []),
  ];
}

/** One line for all launches of the same combination for the same reason. */
function launchLine(alike: FleetPlan["launches"], clean: Clean): string {
  const [times, each] = alike.length > 1 ? [`${alike.length} x `, " each"] : ["", ""];
  const [first] = alike;
  if (!first) return "";
  return `  launch  ${times}${clean(placeOf(first.option))} (${gpusText(first.option.gpus)}${each}): ${clean(first.why)}`;
}

function factsOf({ notes: _inReasons, ...plan }: FleetPlan): PlanFacts {
  const launches = plan.launches.map(({ option: { offer, provider, location, gpus, pricePerHour }, why }) => {
    return { offer, provider, location, gpus, pricePerHour: pricePerHour?.toFixed(4) ?? null, why };
  });
  return { ...plan, launches, holds: plan.holds.map(holdFacts), wake: plan.wake ?? null };
}
