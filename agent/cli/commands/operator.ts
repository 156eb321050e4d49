import type { OpenKeeper } from "../../../account/open.ts";
import type { Context } from "../../../launch/facts/context.ts";
import { isPastDeadline } from "../../../launch/facts/deadline.ts";
import { contextOf } from "../../../launch/keeper.ts";
import { disownNameless } from "../../../launch/machine/unread.ts";
import { adopt, disown, resume } from "../../../launch/people/operator.ts";
import { takeList } from "../../../launch/protocol.ts";
import { waking } from "../../../launch/waking.ts";
import { Draft } from "../../../ledger/draft.ts";
import { fleetOwner, ownerParts, slotOwner } from "../../../ledger/owner.ts";
import { scratchDraft } from "../../../ledger/read-draft.ts";
import type { DeploymentRow, Owner } from "../../../ledger/rows.ts";
import { copyOf } from "../../../ledger/tables.ts";
import type { Json } from "../../../service/contract/service.ts";
import { UNREADABLE } from "../../../service/contract/unread.ts";
import { loadProfile } from "../../../service/profile/profile-file.ts";
import { REQUIREMENTS, requirePart } from "../../../service/profile/requirement.ts";
import { fleetPhase } from "../../fleet/fleet-phase.ts";
import { type Clean, clean, cleanFor, indent } from "../../fleet/text.ts";
import type { Candidate, Wish } from "../../fleet/wish.ts";
import { parseWish } from "../../fleet/wish.ts";
import type { Whose } from "../../json/parts.ts";
import type { FleetPlan } from "../../planning/fleet-plan.ts";
import { gpusOf } from "../../planning/machine-gpus.ts";
import { plan } from "../../planning/plan.ts";
import { nameOf, whoOwns } from "../../status/owner-names.ts";
import type { CliContext } from "./cli-context.ts";
import { mistake } from "./cli-context.ts";
import { confirmed, STOPPED_BY_PERSON } from "./confirm.ts";
import { costText, machineTable } from "./deployments.ts";
import { stopMachine } from "./deployments-stop.ts";
import type { CommonFlags } from "./flags.ts";
import { configurationFrom } from "./flags.ts";
import { resumeFleetCommand } from "./fleet-orders.ts";
import { withKeeper } from "./opening.ts";
import type { DisownFlags } from "./slots.ts";
import { disownSlot, inThisAccount, slotFor, slotIn } from "./slots.ts";

export interface AdoptFlags extends CommonFlags {
  readonly fleet?: string;
  readonly deployment?: string;
  readonly gpus?: number;
  readonly yes?: boolean;
}

/**
 * `fleetkeeper adopt ID --fleet NAME | --deployment NAME`: makes a machine certainly ours. What is stopped because of
 * it is said first, and asked about.
 */
export async function adoptCommand(id: string, flags: AdoptFlags, cli: CliContext): Promise<number> {
  const configuration = await configurationFrom(flags, cli);
  return withKeeper(configuration, cli, async (keeper) => {
    await takeList(keeper, cli.signal);
    if (flags.deployment !== undefined) await inThisAccount(keeper, flags.deployment);
    // The slot of a lost ledger is entered by this only to look at it.
    const draft = await scratchDraft(keeper);
    const ahead = whatFollows(draft, id, flags, keeper, cleanFor(cli));
    if (ahead?.purpose === "stop") requirePart(loadProfile(configuration.profile), REQUIREMENTS.stop);
    if (ahead) cli.tell(ahead.says);
    if (ahead?.question !== undefined && !(await confirmed(ahead.question, flags.yes, cli)))
      return STOPPED_BY_PERSON;
    const owner = await takeIt(keeper, id, flags, ahead);
    cli.print(
      `${clean(id)} belongs to ${clean(nameOf(owner))} now, and is counted, billed and stopped with it.`,
    );
    return ahead?.purpose === "stop" ? stopMachine(keeper, id, {}, cli) : 0;
  });
}

/** What is stopped because a machine is adopted. */
interface Ahead {
  /** Stop: its owner takes it only to stop it. */
  readonly purpose: "keep" | "stop";
  readonly stops: readonly string[];
  readonly says: string;
  /** Undefined: nothing is stopped yet. */
  readonly question?: string;
}

/**
 * Undefined: nothing is stopped because of it. `draft`: one that is thrown away. An owner that stops what it has
 * takes a machine only to stop it: after `stop --all` there may be no other owner, and the machine bills.
 */
function whatFollows(
  draft: Draft,
  id: string,
  flags: AdoptFlags,
  keeper: OpenKeeper,
  clean: Clean,
): Ahead | undefined {
  const context = contextOf(keeper);
  const why = whyItEnds(draft, id, ownerOf(draft, flags, context), context);
  if (why !== undefined) {
    const row = draft.deployments.ever(id);
    return {
      purpose: "stop",
      stops: [id],
      says: `${clean(why, 500)}. So ${clean(id)} is stopped once it is adopted.`,
      question: `Adopt ${clean(id)}, and stop it (${costText(draft, row ? [row] : [])})?`,
    };
  }
  if (flags.fleet === undefined) return undefined;
  const { fleet, gpus } = flags;
  const before = stopsOnceKept(draft, fleet, keeper).map((stop) => stop.id);
  adopt(draft, id, fleetOwner(fleet), context);
  countGpus(draft, id, fleet, gpus);
  const stops = stopsOnceKept(draft, fleet, keeper).filter((stop) => !before.includes(stop.id));
  const [first] = stops;
  if (first === undefined) return undefined;
  const rows = stops.flatMap((stop) => draft.deployments.ever(stop.id) ?? []);
  const says = surplusText(draft, id, fleet, first.why, rows, context, clean);
  const ahead: Ahead = { purpose: "keep", stops: rows.map((row) => row.id), says };
  if (isPaused(draft, fleet, context)) return ahead;
  const which = rows.every((row) => row.id === id) ? "it" : rows.length === 1 ? "that one" : "those";
  return {
    ...ahead,
    question: `Adopt ${clean(id)}, and let the agent stop ${which} (${costText(draft, rows)})?`,
  };
}

/**
 * What the agent's own plan stops of a fleet. A fleet that is paused, or has not looked yet for what was there before
 * it, plans no stops, but does so later: it is planned as if it were so far.
 */
function stopsOnceKept(draft: Draft, name: string, keeper: OpenKeeper): FleetPlan["stops"] {
  const fleet = draft.fleets.get(name);
  if (!fleet) return [];
  const later = new Draft(copyOf(draft));
  later.putFleet({
    ...fleet,
    born: true,
    paused: false,
    wish: { ...(fleet.wish as Record<string, Json>), paused: false },
  });
  const inputs = { can: keeper.service.abilities, offers: undefined };
  const planned = plan(later, inputs, contextOf(keeper)).find((each) => each.fleet === name);
  return planned?.stops ?? [];
}

function isPaused(draft: Draft, name: string, context: Context): boolean {
  const fleet = draft.fleets.get(name);
  return fleet !== undefined && fleetPhase(draft, fleet, context).kind === "paused";
}

/** `draft`: with the machine in the fleet. "As of now": machines are chosen by their paid hours, and these go on. */
function surplusText(
  draft: Draft,
  id: string,
  name: string,
  why: string,
  rows: readonly DeploymentRow[],
  context: Context,
  clean: Clean,
): string {
  const row = draft.fleets.get(name);
  const phase = row && fleetPhase(draft, row, context).kind;
  const [what, limit] = phase === "drained" ? ["what it has", "budget.total"] : ["what is too much", "gpus"];
  const [machine, fleet] = [clean(id), clean(name)];
  const from =
    phase === "paused"
      ? `fleet ${fleet} is paused. Once it is resumed`
      : `Once ${machine} is in fleet ${fleet}`;
  const others = rows.some((each) => each.id !== id);
  const instead =
    phase === "paused"
      ? `To end only ${machine}: fleetkeeper deployments stop ${machine} before that.`
      : `To end only ${machine}: stop it in the service's dashboard. Or pause the fleet while you adopt it and stop it: ` +
        `fleetkeeper pause ${fleet}, adopt, deployments stop ${machine}, resume ${fleet}.`;
  return [
    `${from}, the agent stops ${what} (${clean(why, 500)}). As of now that is:`,
    indent(machineTable(draft, rows, clean)),
    ...(others && phase !== "drained" ? ["What a person adopted is kept longest, whatever it costs."] : []),
    `To keep ${others ? "all of them" : "it"}, raise ${limit} in the fleet's declaration first.`,
    ...(others ? [instead] : []),
  ].join("\n");
}

/** Adopts it. Throws CONFIG if more would be stopped by now than the person was told. */
function takeIt(keeper: OpenKeeper, id: string, flags: AdoptFlags, told: Ahead | undefined): Promise<Whose> {
  const purpose = told?.purpose ?? "keep";
  const change = (draft: Draft): Whose => {
    const context = contextOf(keeper);
    const now = whatFollows(new Draft(copyOf(draft)), id, flags, keeper, clean);
    if (purpose === "keep" && now?.stops.some((stop) => !told?.stops.includes(stop)))
      throw mistake(`other machines than before would be stopped by now. Run this again. ${now.says}`);
    const owner = ownerOf(draft, flags, context);
    adopt(draft, id, owner, context, purpose);
    if (flags.fleet !== undefined && purpose === "keep") countGpus(draft, id, flags.fleet, flags.gpus);
    return whoOwns(draft, owner);
  };
  return keeper.ledger.decide(keeper.account, waking(change));
}

/**
 * `fleetkeeper disown ID`: the machine is not ours, for good; it runs on. `disown slot:ID`: nothing runs in
 * the slot of a Deployment whose ledger is lost. `disown unreadable`: records without an id are not ours.
 */
export async function disownCommand(id: string, flags: DisownFlags, cli: CliContext): Promise<number> {
  const configuration = await configurationFrom(flags, cli);
  const slot = slotIn(id);
  if (slot !== undefined) return disownSlot(slot, configuration, flags, cli);
  return withKeeper(configuration, cli, async (keeper) => {
    await takeList(keeper, cli.signal);
    const says = await keeper.ledger.decide(
      keeper.account,
      waking((draft) => {
        if (id === UNREADABLE) return disownUnreadable(draft, contextOf(keeper));
        disown(draft, id, contextOf(keeper));
        return `${clean(id)} is nobody's here now. It keeps running and costs what it costs, until somebody stops it.`;
      }),
    );
    cli.print(says);
    return 0;
  });
}

/** A person has looked: the records without an id are no machines of theirs, or are stopped by now. */
function disownUnreadable(draft: Draft, context: Context): string {
  const count = disownNameless(draft, context);
  if (count === 0)
    return "The list has no record without an id that can be read. One with an id is disowned by that.";
  const many = count === 1 ? "1 record counts" : `${count} records count`;
  return `${many} for no machine now. Whatever runs there goes on running, and costs what it costs.`;
}

/** `fleetkeeper resume`: ends halts of wire profiles. With a name: the fleet is kept again. */
export async function resumeCommand(
  fleet: string | undefined,
  flags: CommonFlags,
  cli: CliContext,
): Promise<number> {
  if (fleet !== undefined) return resumeFleetCommand(fleet, flags, cli);
  return withKeeper(await configurationFrom(flags, cli), cli, async (keeper) => {
    const { halted, vanished, returned, refusals, cooling } = await keeper.ledger.decide(
      keeper.account,
      waking((draft) => resume(draft, contextOf(keeper))),
    );
    const were = halted === 1 ? "1 wire profile was" : `${halted} wire profiles were`;
    if (halted > 0) cli.print(`${were} halted: launches go on.`);
    if (returned)
      cli.print("A machine of a Deployment came back after it had ended: pulumi up launches again.");
    if (refusals > 0) cli.print("Refusals had made machines: launches go on in those combinations.");
    if (vanished)
      cli.print("What had vanished is gone, as you say: each machine is replaced where it is wanted.");
    if (halted === 0 && !vanished && !returned && refusals === 0) cli.print("Nothing was halted.");
    const cooled = cooling === 1 ? "1 combination was" : `${cooling} combinations were`;
    if (cooling > 0)
      cli.print(`${cooled} cooling, as the service said: that is forgotten, and they may be tried now.`);
    return 0;
  });
}

/**
 * Why an owner would stop a machine that is not its own yet: it is drained, or its deadline has passed.
 * Undefined: it keeps it, or there is nothing to adopt.
 */
function whyItEnds(draft: Draft, id: string, owner: Owner, context: Context): string | undefined {
  const row = draft.deployments.ever(id);
  if (!row || row.end !== null || row.owner === owner || row.claim === "certain") return undefined;
  const { kind, name } = ownerParts(owner);
  if (kind === "slot") {
    const slot = draft.slots.get(name);
    return slot && !slot.closing && isPastDeadline(slot, context)
      ? `${nameOf(whoOwns(draft, owner))} stops what it has: its deadline has passed, or stop --all was said`
      : undefined;
  }
  const fleet = draft.fleets.get(name);
  const phase = fleet && fleetPhase(draft, fleet, context);
  // What was removed takes nothing more: adopt says so.
  if (phase?.kind !== "drained" || phase.by === "removal") return undefined;
  return `fleet ${name} stops what it has: ${phase.why}`;
}

/**
 * Sets the GPUs of an adopted machine. If its count were unknown, or shown lower later, the fleet would rent
 * a second machine. So it counts at least what is shown now and what its candidate says. Its price is the
 * candidate's if the service shows none.
 */
function countGpus(draft: Draft, id: string, name: string, given: number | undefined): void {
  const row = draft.deployments.ever(id);
  const fleet = draft.fleets.get(name);
  if (!row || !fleet) return;
  const possible = candidatesFor(row, parseWish(fleet.wish));
  const expected = Math.max(gpusOf(draft, row), common(possible.map(({ gpus }) => gpus)) ?? 0);
  if (given === undefined && expected === 0) {
    throw mistake(`the service does not show how many GPUs ${id} has: say it with --gpus COUNT.`);
  }
  draft.putDeployment({
    ...row,
    ...(given === undefined ? { expectedGpus: expected } : { saidGpus: given }),
    pricePerHour: row.pricePerHour ?? common(possible.map(({ pricePerHour }) => pricePerHour)) ?? null,
  });
}

/** The candidates that it may come from. */
function candidatesFor(row: DeploymentRow, { candidates = [] }: Wish): readonly Candidate[] {
  return candidates.filter(
    ({ offer, provider, location }) =>
      (row.offer ?? offer) === offer &&
      (row.provider ?? provider) === provider &&
      (row.location ?? location) === location,
  );
}

/** The value that all have; undefined if they differ. */
function common<T>(values: readonly T[]): T | undefined {
  const [value, ...others] = new Set(values);
  return others.length === 0 ? value : undefined;
}

function ownerOf(draft: Draft, { fleet, deployment }: AdoptFlags, context: Context): Owner {
  const { fleets } = draft;
  if (fleet !== undefined) {
    if (fleets.has(fleet)) return fleetOwner(fleet);
    throw mistake(
      `--fleet ${fleet}: no such fleet here; there are: ${[...fleets.keys()].join(", ") || "none"}.`,
    );
  }
  if (deployment === undefined) {
    throw mistake("say who adopts it: --fleet NAME, or --deployment NAME for a Pulumi Deployment.");
  }
  return slotOwner(slotFor(draft, deployment, context).id);
}
