import type { Configuration } from "../../../account/configuration.ts";
import { openKnownKeeper } from "../../../account/known-keeper.ts";
import type { OpenKeeper } from "../../../account/open.ts";
import { settingsFromEnvironment } from "../../../launch/facts/settings-environment.ts";
import type { Keeper } from "../../../launch/keeper.ts";
import { contextOf } from "../../../launch/keeper.ts";
import { takeList } from "../../../launch/protocol.ts";
import { waking } from "../../../launch/waking.ts";
import type { Draft } from "../../../ledger/draft.ts";
import type { Ledger } from "../../../ledger/ledger.ts";
import { readDraft } from "../../../ledger/read-draft.ts";
import type { DeploymentRow } from "../../../ledger/rows.ts";
import { combinationText } from "../../../service/contract/contract.ts";
import { isPassing } from "../../../service/contract/errors.ts";
import { loadProfile } from "../../../service/profile/profile-file.ts";
import { REQUIREMENTS, requirePart } from "../../../service/profile/requirement.ts";
import { ago } from "../../fleet/format.ts";
import { problemOf } from "../../fleet/problem.ts";
import { type Clean, clean, cleanFor, indent } from "../../fleet/text.ts";
import { elsewhere, wayOn } from "../../orders/stopping.ts";
import {
  type EmergencyStop,
  emergencyStop,
  orderEmergencyStop,
  stopEverything,
} from "../../status/emergency-stop.ts";
import { costText, machineTable } from "../../status/machine-table.ts";
import { awaitEnd } from "./await-end.ts";
import type { CliContext } from "./cli-context.ts";
import { mistake } from "./cli-context.ts";
import { closing } from "./closing.ts";
import { confirmed, STOPPED_BY_PERSON } from "./confirm.ts";
import { type StopFlags, whoGoesOn } from "./deployments-stop.ts";
import { configurationFrom } from "./flags.ts";
import { withKeeper } from "./opening.ts";
import { personContext } from "./person.ts";

export interface StopAllFlags extends StopFlags {
  readonly all?: boolean;
}

/**
 * `fleetkeeper stop --all`: stops everything that certainly is ours in this account, and lets nothing be
 * launched again. It may be called at any time, repeatedly, beside an agent or without one. What the ledger
 * knows is ordered to end before the service is asked: an outage must not delay the drain.
 */
export async function stopAllCommand(flags: StopAllFlags, cli: CliContext): Promise<number> {
  if (!flags.all) {
    throw mistake(
      "say --all to stop everything that is ours in this account; one machine: fleetkeeper deployments stop ID; one fleet: fleetkeeper drain NAME.",
    );
  }
  const configuration = await configurationFrom(flags, cli);
  const order = await orderBeforehand(configuration, flags, cli);
  if (order === "refused") return STOPPED_BY_PERSON;
  const work = async (keeper: OpenKeeper): Promise<number> => {
    if (order.account !== undefined && order.account !== keeper.account)
      cli.tell(
        `The key opens another account than the one for which this was written down (${clean(order.email)}): that one's fleets stay drained ` +
          "until somebody says fleetkeeper resume NAME.",
      );
    await listIfPossible(keeper, cli);
    const draft = await readDraft(keeper);
    const found = emergencyStop(draft, contextOf(keeper));
    if (isNothing(found)) return report(keeper, cli);
    if (order.account !== keeper.account) {
      printFound(draft, found, keeper.ledger, cli);
      if (!(await confirmed(question(draft, found), flags.yes, cli))) return STOPPED_BY_PERSON;
    }
    await orderTheEnd(keeper, cli);
    if (!keeper.service.abilities.stop) {
      cli.tell(problemOf(() => requirePart(loadProfile(configuration.profile), REQUIREMENTS.stop)) ?? "");
      cli.tell(
        "Nothing is launched any more. Until the profile can stop: what runs is stopped in the service's dashboard.",
      );
      return report(keeper, cli);
    }
    return stopAll(keeper, flags, cli);
  };
  try {
    return await withKeeper(configuration, cli, work, { onOutage: "wait" });
  } catch (error) {
    if (order.account === undefined) throw error;
    const known = await openKnownKeeper(
      configuration,
      cli.environment,
      settingsFromEnvironment(cli.environment),
    );
    if (known) cli.tell(await inForce(known).finally(known.close));
    if (cli.signal.aborted) return STOPPED_BY_PERSON;
    throw error;
  }
}

/** The account whose machines were ordered to end. None: the ledger knows nothing that lives. */
interface Order {
  readonly account?: string;
  readonly email: string;
}

async function orderBeforehand(
  configuration: Configuration,
  flags: StopAllFlags,
  cli: CliContext,
): Promise<Order | "refused"> {
  const keeper = await openKnownKeeper(
    configuration,
    cli.environment,
    settingsFromEnvironment(cli.environment),
  );
  if (!keeper) return { email: "" };
  return closing(keeper, async () => {
    const draft = await readDraft(keeper);
    const { account: row } = draft;
    const found = emergencyStop(draft, contextOf(keeper));
    if (isNothing(found)) return { email: "" };
    const newest = row.list ? ` (newest list: ${ago(row.list.wall, keeper.clock.now().wall)})` : "";
    cli.tell(`Account ${clean(row.email)}, by the ledger ${clean(keeper.ledger.location, 500)}${newest}:`);
    printFound(draft, found, keeper.ledger, cli);
    if (!(await confirmed(question(draft, found), flags.yes, cli))) return "refused";
    await orderTheEnd(keeper, cli);
    return { account: row.key, email: row.email };
  });
}

/** Writes the order down. Every process that keeps this account follows it. */
async function orderTheEnd(keeper: Keeper, cli: CliContext): Promise<void> {
  await keeper.ledger.decide(
    keeper.account,
    waking((draft) => stopEverything(draft, personContext(keeper, cli))),
  );
}

/** What stays in force when this command ends early. */
async function inForce(keeper: Keeper): Promise<string> {
  const drained = drainedText(await readDraft(keeper)) ?? "Nothing is launched any more.";
  return `${drained} ${await whoGoesOn(keeper)}`;
}

async function stopAll(keeper: OpenKeeper, { wait }: StopAllFlags, cli: CliContext): Promise<number> {
  const { ledger, account } = keeper;
  const left = async () => {
    const { machines, launches } = await ledger.decide(account, (draft) =>
      orderEmergencyStop(draft, personContext(keeper, cli)),
    );
    return {
      machines,
      others: launches.map(
        (open) => `a launch of ${combinationText(open)} is not resolved yet (${open.detail})`,
      ),
    };
  };
  try {
    await awaitEnd(keeper, left, cli, wait === false ? "once" : "until over");
  } catch (error) {
    if (!cli.signal.aborted) throw error;
    cli.tell(await inForce(keeper));
    return STOPPED_BY_PERSON;
  }
  return report(keeper, cli);
}

/** Goes on without a list: machines that the ledger knows must not bill while we wait for one. */
async function listIfPossible(keeper: OpenKeeper, cli: CliContext): Promise<void> {
  try {
    await takeList(keeper, cli.signal);
  } catch (error) {
    if (cli.signal.aborted || !isPassing(error)) throw error;
    cli.tell(`${error.message} Going by what the ledger knows.`);
  }
}

function isNothing(found: EmergencyStop): boolean {
  return isOver(found) && found.fleets.length + found.slots.length === 0;
}

function printFound(
  draft: Draft,
  { machines, launches, fleets, slots, doubtful }: EmergencyStop,
  ledger: Ledger,
  cli: CliContext,
): void {
  if (machines.length > 0)
    cli.tell(`To be stopped:\n${indent(machineTable(draft, machines, cleanFor(cli)))}`);
  if (launches.length > 0)
    cli.tell(
      `To be looked for, and stopped once it shows:\n${indent(launches.map((open) => clean(combinationText(open))).join("\n"))}`,
    );
  if (fleets.length > 0)
    cli.tell(
      `To be drained, so that nothing is launched again: ${fleets.map(({ name }) => clean(name)).join(", ")}`,
    );
  if (slots.length > 0)
    cli.tell(
      `Pulumi deployments into which nothing is launched before the next pulumi up: ${slots.map(({ name }) => clean(name)).join(", ")}`,
    );
  if (doubtful.length > 0) cli.tell(doubtText(draft, doubtful, ledger, cleanFor(cli)));
}

function question(draft: Draft, found: EmergencyStop): string {
  const { fleets } = found;
  const parts = [
    ...(isOver(found) ? [] : [`stop ${livingText(draft, found)}`]),
    ...(fleets.length > 0 ? [`drain ${number(fleets.length, "fleet")}`] : []),
  ];
  const text = parts.length > 0 ? parts.join(", ") : "let nothing be launched";
  return `${text[0]?.toUpperCase()}${text.slice(1)}?`;
}

function isOver({ machines, launches }: EmergencyStop): boolean {
  return machines.length + launches.length === 0;
}

function livingText(draft: Draft, { machines, launches }: EmergencyStop): string {
  return [
    ...(machines.length > 0 ? [`${number(machines.length, "machine")} (${costText(draft, machines)})`] : []),
    ...(launches.length > 0 ? [number(launches.length, "unresolved launch", "unresolved launches")] : []),
  ].join(" and ");
}

/** Prints how it stands, from the ledger. Gives 0 if nothing bills that is ours or may be ours. */
async function report(keeper: OpenKeeper, cli: CliContext): Promise<number> {
  const draft = await readDraft(keeper);
  const found = emergencyStop(draft, contextOf(keeper));
  const { doubtful } = found;
  cli.print(
    isOver(found) ? "Nothing of ours lives in this account." : `Not over yet: ${livingText(draft, found)}.`,
  );
  const drained = drainedText(draft);
  if (drained !== undefined) cli.print(drained);
  if (doubtful.length > 0) cli.print(doubtText(draft, doubtful, keeper.ledger, cleanFor(cli)));
  const mayBeOurs = draft.account.tenure === "exclusive" || doubtful.some(({ claim }) => claim !== null);
  return isOver(found) && !(doubtful.length > 0 && mayBeOurs) ? 0 : 1;
}

function drainedText(draft: Draft): string | undefined {
  const names = [...draft.fleets.values()].flatMap(({ name, removed, drained }) =>
    !removed && drained?.by === "operator" ? clean(name) : [],
  );
  if (names.length === 0) return undefined;
  return `Drained until somebody says fleetkeeper resume NAME: ${names.join(", ")}.`;
}

function doubtText(draft: Draft, rows: readonly DeploymentRow[], ledger: Ledger, clean: Clean): string {
  return (
    `Not stopped, because nobody can say that they are ours, and they bill (${costText(draft, rows)}). ` +
    `${elsewhere(rows, ledger)}${wayOn(draft, "ID")}\n${indent(machineTable(draft, rows, clean))}`
  );
}

function number(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
