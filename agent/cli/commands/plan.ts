import { configuredLedger } from "../../../account/configuration.ts";
import type { OpenKeeper } from "../../../account/open.ts";
import { openLedger } from "../../../account/open-ledger.ts";
import type { Context } from "../../../launch/facts/context.ts";
import type { Draft } from "../../../ledger/draft.ts";
import { scratchDraft } from "../../../ledger/read-draft.ts";
import { CAUSES, FleetkeeperError } from "../../../service/contract/errors.ts";
import { USD } from "../../../service/contract/money.ts";
import type { Declared } from "../../fleet/declare-all.ts";
import type { FleetFile } from "../../fleet/fleet-file.ts";
import { severalOf } from "../../fleet/of-service.ts";
import { cleanFor, indent, jsonText } from "../../fleet/text.ts";
import { planKnownSchema } from "../../json/agent.ts";
import type { PlanFacts } from "../../json/plan.ts";
import type { WholeStatus } from "../../json/whole.ts";
import { costsIn, sumOfCosts } from "../../planning/costs.ts";
import { planFacts } from "../../planning/fleet-plan.ts";
import { moneyLines, planText, stepsOf } from "../../planning/plan-text.ts";
import type { Foreseen, PreviewInput } from "../../reconcile/preview.ts";
import { admittedOf, plansIn, preview, readInput } from "../../reconcile/preview.ts";
import { previewParts } from "../../reconcile/preview-parts.ts";
import { putReasons } from "../../reconcile/store-reasons.ts";
import { PATHS } from "../../remote/paths.ts";
import { CHOOSING, wholesOf } from "../../status/whole-status.ts";
import { wholeText } from "../../status/whole-text.ts";
import { withAccount } from "./by-agent.ts";
import type { CliContext } from "./cli-context.ts";
import { closing } from "./closing.ts";
import type { AskFlags } from "./flags.ts";
import { configurationOf, isSourceDeleted, ledgerFlag, nothingForAll, readFleetFile } from "./flags.ts";
import { contextHere } from "./ledger.ts";
import { measuredOf } from "./measured.ts";
import { withKeeper } from "./opening.ts";

/** `fleetkeeper plan`: what the agent would do now, and why. Nothing is launched or stopped. */
export async function planCommand(flags: AskFlags, cli: CliContext): Promise<number> {
  const { agent } = cli;
  if (agent) {
    const asked = withAccount(agent, flags.service, cli, (account) =>
      account.read(PATHS.plan, planKnownSchema),
    );
    return printPlan(await asked, flags, cli);
  }
  const file = await readFleetFile(flags);
  const several = severalOf(file);
  if (several) return planServices(flags, several, cli);
  const { believed, plans } = await readOf(flags, file, cli, (keeper, declared) =>
    preview(keeper, declared, cli.signal),
  );
  return printPlan({ fleets: plans.map(planFacts), believed }, flags, cli);
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
  const clean = cleanFor(cli);
  const place = configuredLedger({ ledger: ledgerFlag(flags) }, cli.environment, several[0]?.configuration);
  const { found, wholes } = await closing(await openLedger(place, Date.now()), async (shared) => {
    const asked = await Promise.all(several.map((file) => lookedAt(flags, file, cli, shared)));
    return planAll(asked, shared, contextHere(cli, shared));
  });
  const errors = found.flatMap(({ service, error }) => (error === undefined ? [] : [{ service, error }]));
  if (flags.json) {
    const fleets = found.flatMap(({ service, plans }) => plans.map((each) => ({ service, ...each })));
    cli.print(jsonText({ wholes, fleets, errors }));
  } else {
    const all = new Map(found.flatMap(({ plans }) => plans).map((each) => [each.fleet, each]));
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
    for (const { service, plans, error } of found) {
      const own = plans.filter(({ fleet }) => !parts.has(fleet));
      if (own.length > 0 || parts.size === 0 || (error !== undefined && !isTold(service, error)))
        cli.print(`${service}\n${indent(error ?? planText(own, clean))}`);
    }
  }
  return Math.max(...found.map(({ code }) => code));
}

/** What could not be asked gives nothing, and says why; its account may never have been seen. */
function withAway(whole: WholeStatus, asked: readonly Asked[]): WholeStatus {
  const zero = { runningGpus: 0, startingGpus: 0, stoppingGpus: 0, readyGpus: null, unknownLaunches: 0 };
  const spent = { today: "0.0000", refundedToday: "0.0000", ever: "0.0000", unpriced: 0 };
  const nothing = { ...zero, portion: 0, pricePerHour: "0.0000", currency: whole.currency ?? USD, spent };
  const away = asked.flatMap(({ service, error, file }) => {
    const mine = file.fleets.find(({ part }) => part?.of === whole.name);
    if (error === undefined || !mine) return [];
    const known = whole.services.find((part) => part.service === service);
    const part = known ?? { service, fleet: mine.name, account: "?", ...nothing };
    return [{ ...part, state: "away" as const, why: error }];
  });
  const names = new Set(away.map(({ service }) => service));
  return { ...whole, services: [...whole.services.filter(({ service }) => !names.has(service)), ...away] };
}

interface Asked {
  readonly service: string;
  readonly file: FleetFile;
  readonly looked?: PreviewInput;
  readonly error?: string;
  readonly code: number;
}

async function lookedAt(
  flags: AskFlags,
  file: FleetFile,
  cli: CliContext,
  shared: OpenKeeper["ledger"],
): Promise<Asked> {
  const service = file.service?.name ?? "";
  try {
    const looked = await readOf(
      flags,
      file,
      cli,
      (keeper, declared) => readInput(keeper, declared, cli.signal),
      shared,
    );
    return { service, file, code: looked.believed ? 0 : 1, looked };
  } catch (error) {
    if (cli.signal.aborted || !(error instanceof FleetkeeperError)) throw error;
    return { service, file, code: CAUSES[error.code].exitCode, error: cleanFor(cli)(error.message, 2000) };
  }
}

async function planAll(asked: readonly Asked[], shared: OpenKeeper["ledger"], context: Context) {
  const looked = new Map(
    asked.flatMap(({ looked: each }) => (each ? [[each.keeper.account, each] as const] : [])),
  );
  const unread = new Map<string, Draft>();
  for (const { key } of await shared.accounts())
    if (!looked.has(key)) unread.set(key, await scratchDraft({ ledger: shared, account: key }));
  previewParts(looked, unread);
  const planned = asked.map((each) => ({ ...each, plans: each.looked ? plansIn(each.looked) : [] }));
  // What holds launches by now, and before the launches of the plan are counted as if they were there.
  for (const { looked: each, plans } of planned) if (each) putReasons(each.draft, plans, () => true);
  const drafts = new Map([...[...looked].map(([key, { draft }]) => [key, draft] as const), ...unread]);
  return {
    wholes: wholesOf(drafts, (key) => looked.has(key), context).map((whole) => withAway(whole, asked)),
    found: planned.map(({ looked: each, plans, ...rest }) => ({
      ...rest,
      plans: each ? admittedOf(each, plans).map(planFacts) : [],
    })),
  };
}

/** Amounts of several currencies have no sum. */
function moneyOfWhole({ currency }: WholeStatus, parts: readonly PlanFacts[]): readonly string[] {
  const [first] = parts;
  if (!first || currency === null) return [];
  return moneyLines({ ...first, currency }, sumOfCosts(parts.map((each) => costsIn(each.costs))));
}
