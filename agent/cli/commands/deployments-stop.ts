import type { OpenKeeper } from "../../../account/open.ts";
import { otherLedgerOf } from "../../../launch/claim/groups.ts";
import { askStop, hurryStop } from "../../../launch/ends/stop.ts";
import { cutHook } from "../../../launch/ends/stop-hook.ts";
import type { Context } from "../../../launch/facts/context.ts";
import { machineHoldText } from "../../../launch/facts/machine-hold.ts";
import type { Keeper } from "../../../launch/keeper.ts";
import { contextOf } from "../../../launch/keeper.ts";
import { isLeftBehind } from "../../../launch/people/slot.ts";
import { carryOutStops } from "../../../launch/protocol.ts";
import { waking } from "../../../launch/waking.ts";
import type { Draft } from "../../../ledger/draft.ts";
import type { Ledger } from "../../../ledger/ledger.ts";
import { ownerParts } from "../../../ledger/owner.ts";
import { readDraft } from "../../../ledger/read-draft.ts";
import type { DeploymentRow } from "../../../ledger/rows.ts";
import { FleetkeeperError } from "../../../service/contract/errors.ts";
import { loadProfile } from "../../../service/profile/profile-file.ts";
import { REQUIREMENTS, requirePart } from "../../../service/profile/requirement.ts";
import { MachineWatch } from "../../ask/machine-watch.ts";
import { agentAlive, leaseOf } from "../../fleet/agent-alive.ts";
import { fleetPhase } from "../../fleet/fleet-phase.ts";
import { lowerCount } from "../../fleet/lowered-count.ts";
import { savingText } from "../../fleet/saving-text.ts";
import { clean, gpusText } from "../../fleet/text.ts";
import { chooseStop } from "../../planning/before-stop.ts";
import { gpusOf } from "../../planning/machine-gpus.ts";
import { fleetReport } from "../../status/fleet-report.ts";
import { adopterFlag, whoOwns, whoseText } from "../../status/owner-names.ts";
import { shortRow } from "../../status/short-row.ts";
import { awaitEnd } from "./await-end.ts";
import type { CliContext } from "./cli-context.ts";
import { mistake } from "./cli-context.ts";
import { confirmed, STOPPED_BY_PERSON } from "./confirm.ts";
import { costText, find } from "./deployments.ts";
import type { CommonFlags } from "./flags.ts";
import { configurationFrom } from "./flags.ts";
import { withKeeper } from "./opening.ts";
import { saving } from "./saving.ts";

export interface StopFlags extends CommonFlags {
  readonly yes?: boolean;
  /** False: `--no-wait`. */
  readonly wait?: boolean;
}

interface StopOneFlags extends StopFlags {
  /** Its fleet wants so many GPUs less from then on. */
  readonly shrink?: boolean;
  /** Nothing runs before it. */
  readonly now?: boolean;
}

/** `fleetkeeper deployments stop ID`: stops a machine that certainly is ours, and waits for its end. */
export async function deploymentsStopCommand(
  id: string,
  flags: StopOneFlags,
  cli: CliContext,
): Promise<number> {
  const configuration = await configurationFrom(flags, cli);
  requirePart(loadProfile(configuration.profile), REQUIREMENTS.stop);
  return withKeeper(configuration, cli, async (keeper) => {
    const { row } = await find(keeper, id, cli);
    if (row.end !== null) {
      cli.print(`${clean(id)} has ended already: ${clean(row.status)}.`);
      return 0;
    }
    const draft = await readDraft(keeper);
    refuseStrangers(draft, row, keeper);
    refuseHeld(row, keeper);
    const warning = flags.shrink ? shrinkText(draft, row) : whoReplacesIt(draft, row, keeper);
    if (warning) cli.tell(warning);
    if (!(await confirmed(question(draft, row), flags.yes, cli))) return STOPPED_BY_PERSON;
    return stopMachine(keeper, id, flags, cli);
  });
}

const BY_PERSON = "an operator stopped it";

/** Stops a machine that certainly is ours, and waits for its end. Gives the exit code. */
export async function stopMachine(
  keeper: OpenKeeper,
  id: string,
  { wait, shrink, now }: StopOneFlags,
  cli: CliContext,
): Promise<number> {
  const { ledger, account } = keeper;
  await ledger.decide(
    account,
    waking((draft) => {
      const row = draft.deployments.ever(id);
      // Somebody may have disowned it while the question was open, or holds it since.
      if (row && row.end === null) {
        refuseStrangers(draft, row, keeper);
        refuseHeld(row, keeper);
      }
      if (row && shrink) shrinkBy(draft, row, contextOf(keeper));
      const context = contextOf(keeper);
      if (now) askStop(draft, id, BY_PERSON, context, "for good", true);
      else chooseStop(draft, id, BY_PERSON, context, { kind: "for good", ordered: true });
      if (now) cutHook(draft, id, BY_PERSON, context);
      hurryStop(draft, id);
    }),
  );
  const saves = await savingOf(keeper, id);
  if (wait === false && saves !== undefined) {
    cli.print(`${clean(id)} is ${saves}. It is stopped after that.`);
    cli.tell(await whoGoesOn(keeper));
    return (await hasAgent(keeper)) ? 0 : 1;
  }
  if (wait === false) {
    await carryOutStops(keeper, cli.signal);
    const row = (await readDraft(keeper)).deployments.ever(id);
    if (row?.end === null && row.status !== "stopping" && row.stop?.attempted === null) {
      cli.print(`${clean(id)}: the stop was not sent yet, since the newest list is not believed.`);
      cli.tell(await whoGoesOn(keeper));
      return 1;
    }
    if (row?.stop?.error) throw new FleetkeeperError("REFUSED", `${id} is not stopped: ${row.stop.error}`);
    cli.print(
      `${clean(id)}: the stop was sent. It bills until fleetkeeper deployments show ${clean(id)} shows its end.`,
    );
    return 0;
  }
  // Where an agent lives, it runs what comes before the stop.
  const own = saves !== undefined && !(await hasAgent(keeper));
  const watch = new MachineWatch(keeper, own ? [saving(keeper, cli)] : [], clean);
  const left = async () => {
    watch.pump();
    const { deployments } = await ledger.read(account);
    return { machines: deployments.filter((row) => row.id === id && row.end === null), others: [] };
  };
  try {
    await awaitEnd(keeper, left, cli, "until over");
  } catch (error) {
    if (!cli.signal.aborted) throw error;
    cli.tell(await whoGoesOn(keeper));
    return STOPPED_BY_PERSON;
  } finally {
    await watch.close();
  }
  return 0;
}

/** What its stop waits for now, in words. */
async function savingOf(keeper: Keeper, id: string): Promise<string | undefined> {
  const draft = await readDraft(keeper);
  const row = draft.deployments.ever(id);
  return row && savingText(shortRow(draft, row), keeper.clock.now().wall);
}

/** What `--shrink` does. Throws CONFIG if no fleet has it, or if it is stopped already: the count was lowered then, or is not to be. */
function shrinkText(draft: Draft, row: DeploymentRow): string {
  const name = shrinkable(row);
  return `fleet ${clean(name)} wants ${gpusText(gpusOf(draft, row))} less from then on: none is rented in its place before fleetkeeper wake ${clean(name)}.`;
}

function shrinkBy(draft: Draft, row: DeploymentRow, context: Context): void {
  lowerCount(draft, shrinkable(row), gpusOf(draft, row), context);
}

function shrinkable({ id, owner, stop, end }: DeploymentRow): string {
  if (end !== null) throw mistake(`${id} has ended meanwhile, so nothing was given back: the count stays.`);
  if (stop !== null) throw mistake(`${id} is being stopped already (${stop.why}): the count stays.`);
  const { kind, name } = owner === null ? { kind: "nobody", name: "" } : ownerParts(owner);
  if (kind === "fleet") return name;
  throw mistake(`--shrink: ${id} is of no fleet, so there is no count to lower.`);
}

/** What a person holds is released first. Throws CONFIG. */
function refuseHeld(row: DeploymentRow, { clock }: Keeper): void {
  const held = machineHoldText(row, clock.now());
  if (held === undefined) return;
  throw mistake(`${row.id} is ${held}. If it is to end all the same: fleetkeeper release ${row.id} first.`);
}

/** Only what certainly is ours is stopped. Throws CONFIG, with the remedy. */
function refuseStrangers(draft: Draft, row: DeploymentRow, { ledger }: Keeper): void {
  if (row.claim === "certain") return;
  const { id } = row;
  const why = {
    foreign: "it was disowned, and is nobody's here for good. Stop it in the service's dashboard.",
    inferred: `it seems to be of ${whoseText(draft, row)}, but others launch in this account too. ${wayOn(draft, id)}`,
    disputed: `it may be of ${whoseText(draft, row)} or somebody else's. ${wayOn(draft, id)}`,
    nobody: `nobody here answers for it. ${elsewhere([row], ledger)}${wayOn(draft, id)}`,
  }[row.claim ?? "nobody"];
  throw mistake(`${id} is not stopped: ${why}`);
}

/** What to do about those of these machines that another ledger launched. Empty if none. */
export function elsewhere(rows: readonly DeploymentRow[], { id, location }: Ledger): string {
  const others = rows.filter((row) => otherLedgerOf(row, id) !== undefined).length;
  if (others === 0) return "";
  const what = rows.length === 1 ? "it" : `${others} of them`;
  return (
    `Another ledger than ${location} launched ${what}, as the marker says: if that one is yours, say this ` +
    "with --ledger and its place, as its own user. "
  );
}

/**
 * How a person decides whose a machine is, and how it is then stopped. An owner that stops what it has, as
 * after `stop --all`, may adopt it, too: adopt stops it then.
 */
export function wayOn(draft: Draft, id: string): string {
  const owner = draft.deployments.ever(id)?.owner ?? null;
  const anybody = [
    ...([...draft.fleets.values()].some(({ removed }) => !removed) ? ["--fleet NAME"] : []),
    ...([...draft.slots.values()].some(({ closing }) => !closing) ? ["--deployment NAME"] : []),
  ];
  // While its end is under way, only the owner that it may already have can adopt it.
  const adopters = owner === null ? anybody : [adopterFlag(owner)];
  // Else it stops another one before this one is stopped.
  const full = adopters.some((each) => each.startsWith("--fleet"))
    ? " In a full fleet the agent may stop another machine for it, unless you pause the fleet first: fleetkeeper pause NAME."
    : "";
  const ours =
    adopters.length > 0
      ? `fleetkeeper adopt ${id} ${adopters.join(" or ")}, then fleetkeeper deployments stop ${id}. A drained owner stops what it adopts at once.${full}`
      : `stop it in the service's dashboard, as no fleet and no Pulumi deployment is here that could adopt it (but a slot that only a stack's state knows: fleetkeeper adopt ${id} --deployment SLOT).`;
  return `If it is yours: ${ours} If not: fleetkeeper disown ${id}.`;
}

function question(draft: Draft, row: DeploymentRow): string {
  const { offer, provider, location } = shortRow(draft, row);
  const where = `${offer ?? "?"} @ ${provider ?? "?"}/${location ?? "?"}`;
  return `Stop ${clean(row.id)} (${clean(where)}, ${costText(draft, [row])}, ${clean(whoseText(draft, row))})?`;
}

/** Which owner would rent another machine in its place; undefined if none would. */
function whoReplacesIt(draft: Draft, row: DeploymentRow, keeper: OpenKeeper): string | undefined {
  const whose = row.owner === null ? undefined : whoOwns(draft, row.owner);
  if (whose === undefined || row.stop !== null) return undefined;
  if ("deployment" in whose) {
    const name = clean(whose.deployment);
    return isLeftBehind(draft, row)
      ? `It belongs to the Pulumi deployment ${name}, which its stack's state does not hold any more. If the program still has it, the next pulumi up rents a machine of its own.`
      : `It belongs to the Pulumi deployment ${name}: the next pulumi up rents another one, if its stack's state still holds it. To end it for good: pulumi destroy.`;
  }
  const { fleet: name } = whose;
  const fleet = draft.fleets.get(name);
  const context = contextOf(keeper);
  const { desiredGpus, runningGpus, startingGpus } = fleetReport(draft, name, context);
  const left = runningGpus + startingGpus - (shortRow(draft, row).gpus ?? 0);
  if (!fleet || fleetPhase(draft, fleet, context).kind !== "kept" || left >= desiredGpus) return undefined;
  return (
    `fleet ${clean(name)} asks for ${gpusText(desiredGpus)}, and ${left} would be left: an agent rents another machine in its ` +
    `place. If that is not meant: lower its count, or fleetkeeper pause ${clean(name)} first.`
  );
}

/** Who carries out the stop, for a person who does not wait for its end. */
export async function whoGoesOn(keeper: Keeper): Promise<string> {
  return (await hasAgent(keeper))
    ? "The stop is written down, and the agent goes on with it."
    : "The stop is written down, but no agent runs that goes on with it: run this again to wait for the end.";
}

async function hasAgent(keeper: Keeper): Promise<boolean> {
  const draft = await readDraft(keeper);
  return agentAlive(draft, contextOf(keeper), await leaseOf(keeper.ledger, keeper.account));
}
