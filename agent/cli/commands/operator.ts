import type { Context } from "../../../launch/context.ts";
import { isPastDeadline } from "../../../launch/deadline.ts";
import { contextOf } from "../../../launch/keeper.ts";
import type { OpenKeeper } from "../../../launch/open.ts";
import { adopt, disown, resume } from "../../../launch/operator.ts";
import { takeList } from "../../../launch/protocol.ts";
import { disownNameless } from "../../../launch/unread.ts";
import { waking } from "../../../launch/waking.ts";
import type { Draft } from "../../../ledger/draft.ts";
import { fleetOwner, ownerParts, slotOwner } from "../../../ledger/owner.ts";
import { scratchDraft } from "../../../ledger/read-draft.ts";
import type { DeploymentRow, Owner } from "../../../ledger/rows.ts";
import { loadProfile } from "../../../service/profile-file.ts";
import { REQUIREMENTS, requirePart } from "../../../service/requirement.ts";
import { UNREADABLE } from "../../../service/unread.ts";
import { fleetPhase } from "../../fleet/fleet-phase.ts";
import { type Clean, clean, cleanFor, gpusText, indent } from "../../fleet/text.ts";
import type { Candidate, Wish } from "../../fleet/wish.ts";
import { parseWish } from "../../fleet/wish.ts";
import { gpusOf } from "../../planning/count.ts";
import { ALL_INPUTS } from "../../planning/fleet-plan.ts";
import { plan } from "../../planning/plan.ts";
import { nameOf, type Whose, whoOwns } from "../../status/owner-names.ts";
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
 * `fleetkeeper adopt ID --fleet NAME | --deployment NAME`: makes a machine certainly ours. An owner that stops
 * what it has takes it only to stop it: after `stop --all` there may be no other, and the machine bills.
 */
export async function adoptCommand(id: string, flags: AdoptFlags, cli: CliContext): Promise<number> {
  const configuration = await configurationFrom(flags, cli);
  return withKeeper(configuration, cli, async (keeper) => {
    await takeList(keeper, cli.signal);
    if (flags.deployment !== undefined) await inThisAccount(keeper, flags.deployment);
    // The slot of a lost ledger is entered by this only to look at it.
    const draft = await scratchDraft(keeper);
    const context = contextOf(keeper);
    const why = whyItEnds(draft, id, ownerOf(draft, flags, context), context);
    if (why === undefined && flags.fleet !== undefined) {
      const surplus = keeper.service.abilities.stop
        ? surplusBy(draft, id, { ...flags, fleet: flags.fleet }, context)
        : [];
      if (surplus.length > 0) {
        cli.tell(surplusText(draft, surplus, flags.fleet, cleanFor(cli)));
        const question = `Adopt ${clean(id)}, and let the agent stop ${surplus.length === 1 ? "that one" : "those"} (${costText(surplus)})?`;
        if (!(await confirmed(question, flags.yes, cli))) return STOPPED_BY_PERSON;
      }
    }
    if (why !== undefined) {
      requirePart(loadProfile(configuration.profile), REQUIREMENTS.stop);
      const row = draft.deployments.get(id);
      cli.tell(`${clean(why, 500)}. So ${clean(id)} is stopped once it is adopted.`);
      const question = `Adopt ${clean(id)}, and stop it (${costText(row ? [row] : [])})?`;
      if (!(await confirmed(question, flags.yes, cli))) return STOPPED_BY_PERSON;
    }
    const owner = await takeIt(keeper, id, flags, why === undefined ? "keep" : "stop");
    cli.print(
      `${clean(id)} belongs to ${clean(nameOf(owner))} now, and is counted, billed and stopped with it.`,
    );
    return why === undefined ? 0 : stopMachine(keeper, id, {}, cli);
  });
}

/**
 * The machines that the agent would stop because this one counts, too. `draft`: one that is thrown away, since the
 * machine is adopted in it, and planned with. Throws CONFIG if it cannot be adopted.
 */
function surplusBy(
  draft: Draft,
  id: string,
  { fleet, gpus }: { readonly fleet: string; readonly gpus?: number },
  context: Context,
): readonly DeploymentRow[] {
  const stops = (): readonly string[] =>
    plan(draft, ALL_INPUTS, context).flatMap((each) => each.stops.map((stop) => stop.id));
  const before = stops();
  adopt(draft, id, fleetOwner(fleet), context);
  countGpus(draft, id, fleet, gpus);
  return stops()
    .filter((each) => !before.includes(each))
    .flatMap((each) => draft.deployments.get(each) ?? []);
}

function surplusText(draft: Draft, surplus: readonly DeploymentRow[], fleet: string, clean: Clean): string {
  const asked = gpusText(parseWish(draft.fleets.get(fleet)?.wish ?? {}).gpus);
  return (
    `fleet ${clean(fleet)} asks for ${asked}. With this machine it has more, and the agent stops what is too much:\n` +
    `${indent(machineTable(draft, surplus, clean))}\n` +
    "What a person adopted is kept longest, whatever it costs. To keep all of them, raise gpus in the fleet's declaration first."
  );
}

/** Adopts it. Throws CONFIG if its owner has begun to stop what it has since the person was asked. */
function takeIt(keeper: OpenKeeper, id: string, flags: AdoptFlags, purpose: "keep" | "stop"): Promise<Whose> {
  const change = (draft: Draft): Whose => {
    const context = contextOf(keeper);
    const owner = ownerOf(draft, flags, context);
    const why = whyItEnds(draft, id, owner, context);
    if (purpose === "keep" && why !== undefined) throw mistake(`${why}: run this again.`);
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
    const { halted, returned, cooling } = await keeper.ledger.decide(
      keeper.account,
      waking((draft) => resume(draft, contextOf(keeper))),
    );
    const were = halted === 1 ? "1 wire profile was" : `${halted} wire profiles were`;
    if (halted > 0) cli.print(`${were} halted: launches go on.`);
    if (returned)
      cli.print("A machine of a Deployment came back after it had ended: pulumi up launches again.");
    if (halted === 0 && !returned) cli.print("Nothing was halted.");
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
  const row = draft.deployments.get(id);
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
  const row = draft.deployments.get(id);
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
