import type { Configuration } from "../../../../account/configuration.ts";
import { openKnownKeeper } from "../../../../account/known-keeper.ts";
import type { OpenKeeper } from "../../../../account/open.ts";
import { settingsFromEnvironment } from "../../../../launch/facts/settings-environment.ts";
import type { Keeper } from "../../../../launch/keeper.ts";
import { waking } from "../../../../launch/mark-wake.ts";
import { takeList } from "../../../../launch/protocol.ts";
import { combinationText } from "../../../../service/contract/contract.ts";
import { isPassing } from "../../../../service/contract/errors.ts";
import { loadProfile } from "../../../../service/profile/profile-file.ts";
import { REQUIREMENTS, requirePart } from "../../../../service/profile/requirement.ts";
import { counted } from "../../../../service/text/counted.ts";
import { ago } from "../../../fleet/text/format.ts";
import { problemOf } from "../../../fleet/text/problem.ts";
import { type Clean, clean, cleanFor, indent } from "../../../fleet/text/text.ts";
import { doneSchema, type EmergencyKnown, emergencySchema } from "../../../json/answers.ts";
import { emergencyKnown } from "../../../orders/emergency-known.ts";
import type { AgentAddress } from "../../../remote/agent-address.ts";
import { PATHS } from "../../../remote/paths.ts";
import { orderEmergencyStop, stopEverything } from "../../../status/emergency-stop.ts";
import { costText, machineTable } from "../../../status/machine-table.ts";
import { withAccount } from "../shared/by-agent.ts";
import { type CliContext, mistake } from "../shared/cli-context.ts";
import { closing } from "../shared/closing.ts";
import { confirmed, STOPPED_BY_PERSON } from "../shared/confirm.ts";
import { configurationFrom } from "../shared/flags.ts";
import { withKeeper } from "../shared/opening.ts";
import { personContext } from "../shared/person.ts";
import { awaitEnd } from "./await-end.ts";
import { whoGoesOn } from "./deployments-stop.ts";
import { type StopFlags, untilOver } from "./stop-there.ts";

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
  if (cli.agent) return stopAllThere(cli.agent, flags, cli);
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
    const found = await emergencyKnown(keeper);
    if (isNothing(found)) return report(found, cli);
    if (order.account !== keeper.account) {
      printFound(found, cli);
      if (!(await confirmed(question(found), flags.yes, cli))) return STOPPED_BY_PERSON;
    }
    await orderTheEnd(keeper, cli);
    if (!found.canStop) {
      cli.tell(problemOf(() => requirePart(loadProfile(configuration.profile), REQUIREMENTS.stop)) ?? "");
      cli.tell(CANNOT_STOP);
      return report(await emergencyKnown(keeper), cli);
    }
    return stopAll(keeper, flags, cli);
  };
  try {
    return await withKeeper(configuration, cli, work, { onOutage: "wait" });
  } catch (error) {
    if (order.account === undefined) throw error;
    const known = await knownKeeper(configuration, cli);
    if (known) cli.tell(await inForce(known).finally(known.close));
    if (cli.signal.aborted) return STOPPED_BY_PERSON;
    throw error;
  }
}

const CANNOT_STOP =
  "Nothing is launched any more. Until the profile can stop: what runs is stopped in the service's dashboard.";

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
  const keeper = await knownKeeper(configuration, cli);
  if (!keeper) return { email: "" };
  return closing(keeper, async () => {
    const found = await emergencyKnown(keeper);
    if (isNothing(found)) return { email: "" };
    printAccount(found, cli);
    if (!(await confirmed(question(found), flags.yes, cli))) return "refused";
    await orderTheEnd(keeper, cli);
    return { account: keeper.account, email: found.account };
  });
}

function knownKeeper(configuration: Configuration, { environment }: CliContext) {
  return openKnownKeeper(configuration, environment, settingsFromEnvironment(environment));
}

function printAccount(found: EmergencyKnown, cli: CliContext): void {
  const newest = found.list === null ? "" : ` (newest list: ${ago(found.list, Date.now())})`;
  cli.tell(`Account ${clean(found.account)}, by the ledger ${clean(found.ledger, 500)}${newest}:`);
  printFound(found, cli);
}

/** `stop --all` by the agent, which carries it out. */
async function stopAllThere(agent: AgentAddress, flags: StopAllFlags, cli: CliContext): Promise<number> {
  return withAccount(agent, flags.service, cli, async (account) => {
    const look = () => account.read(PATHS.stopOfAll, emergencySchema);
    const found = await look();
    if (isNothing(found)) return report(found, cli);
    printAccount(found, cli);
    if (!(await confirmed(question(found), flags.yes, cli))) return STOPPED_BY_PERSON;
    await account.order({ path: PATHS.order("account", "", "stop") }, doneSchema);
    if (!found.canStop) cli.tell(`The agent's profile lacks the part "stop". ${CANNOT_STOP}`);
    const left = async () => {
      const { machines, launches } = await look();
      return { machines, others: launches.map(unresolvedText) };
    };
    const code = flags.wait === false || !found.canStop ? 0 : await untilOver(left, cli);
    return code === 0 ? report(await look(), cli) : code;
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
  const drained = drainedText(await emergencyKnown(keeper)) ?? "Nothing is launched any more.";
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
      others: launches.map((open) => unresolvedText({ place: combinationText(open), detail: open.detail })),
    };
  };
  try {
    await awaitEnd(keeper, left, cli, wait === false ? "once" : "until over");
  } catch (error) {
    if (!cli.signal.aborted) throw error;
    cli.tell(await inForce(keeper));
    return STOPPED_BY_PERSON;
  }
  return report(await emergencyKnown(keeper), cli);
}

function unresolvedText({ place, detail }: EmergencyKnown["launches"][number]): string {
  return `a launch of ${place} is not resolved yet (${detail})`;
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

function isNothing(found: EmergencyKnown): boolean {
  return isOver(found) && found.fleets.length + found.slots.length === 0;
}

function printFound(found: EmergencyKnown, cli: CliContext): void {
  const { machines, launches, fleets, slots, moves } = found;
  if (machines.length > 0) cli.tell(`To be stopped:\n${indent(machineTable(machines, cleanFor(cli)))}`);
  if (launches.length > 0)
    cli.tell(
      `To be looked for, and stopped once it shows:\n${indent(launches.map(({ place }) => clean(place)).join("\n"))}`,
    );
  if (fleets.length > 0)
    cli.tell(
      `To be drained, so that nothing is launched again: ${fleets.map((name) => clean(name)).join(", ")}`,
    );
  for (const name of moves)
    cli.tell(
      `Other services keep ${clean(name)}, too: they may rent what is drained of it here. To end all of it, before this: fleetkeeper drain ${clean(name)}`,
    );
  if (slots.length > 0)
    cli.tell(
      `Pulumi deployments into which nothing is launched before the next pulumi up: ${slots.map((name) => clean(name)).join(", ")}`,
    );
  const doubt = doubtText(found, cleanFor(cli));
  if (doubt !== undefined) cli.tell(doubt);
}

function question(found: EmergencyKnown): string {
  const { fleets } = found;
  const parts = [
    ...(isOver(found) ? [] : [`stop ${livingText(found)}`]),
    ...(fleets.length > 0 ? [`drain ${counted(fleets.length, "fleet")}`] : []),
  ];
  const text = parts.length > 0 ? parts.join(", ") : "let nothing be launched";
  return `${text[0]?.toUpperCase()}${text.slice(1)}?`;
}

function isOver({ machines, launches }: EmergencyKnown): boolean {
  return machines.length + launches.length === 0;
}

function livingText({ machines, launches }: EmergencyKnown): string {
  return [
    ...(machines.length > 0 ? [`${counted(machines.length, "machine")} (${costText(machines)})`] : []),
    ...(launches.length > 0 ? [counted(launches.length, "unresolved launch", "unresolved launches")] : []),
  ].join(" and ");
}

/** Prints how it stands, from the ledger. Gives 0 if nothing bills that is ours or may be ours. */
function report(found: EmergencyKnown, cli: CliContext): number {
  cli.print(isOver(found) ? "Nothing of ours lives in this account." : `Not over yet: ${livingText(found)}.`);
  const drained = drainedText(found);
  if (drained !== undefined) cli.print(drained);
  const doubt = doubtText(found, cleanFor(cli));
  if (doubt !== undefined) cli.print(doubt);
  return isOver(found) && !found.mayBeOurs ? 0 : 1;
}

function drainedText({ drained }: EmergencyKnown): string | undefined {
  if (drained.length === 0) return undefined;
  const names = drained.map((name) => clean(name)).join(", ");
  return `Drained until somebody says fleetkeeper resume NAME: ${names}.`;
}

function doubtText({ doubtful, wayOn }: EmergencyKnown, clean: Clean): string | undefined {
  if (wayOn === null) return undefined;
  return (
    `Not stopped, because nobody can say that they are ours, and they bill (${costText(doubtful)}). ` +
    `${wayOn}\n${indent(machineTable(doubtful, clean))}`
  );
}
