import type { Context } from "../../../launch/context.ts";
import { contextOf } from "../../../launch/keeper.ts";
import { adopt, disown, resume } from "../../../launch/operator.ts";
import { takeList } from "../../../launch/protocol.ts";
import { disownNameless } from "../../../launch/unread.ts";
import { waking } from "../../../launch/waking.ts";
import type { Draft } from "../../../ledger/draft.ts";
import { fleetOwner, slotOwner } from "../../../ledger/owner.ts";
import type { DeploymentRow, Owner } from "../../../ledger/rows.ts";
import { UNREADABLE } from "../../../service/unread.ts";
import { fleetPhase } from "../../fleet/fleet-phase.ts";
import { clean } from "../../fleet/text.ts";
import type { Candidate, Wish } from "../../fleet/wish.ts";
import { parseWish } from "../../fleet/wish.ts";
import { gpusOf } from "../../planning/count.ts";
import { nameOf, whoOwns } from "../../status/owner-names.ts";
import type { CliContext } from "./cli-context.ts";
import { mistake } from "./cli-context.ts";
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
}

/** `fleetkeeper adopt ID --fleet NAME | --deployment NAME`: makes a machine certainly ours. */
export async function adoptCommand(id: string, flags: AdoptFlags, cli: CliContext): Promise<number> {
  return withKeeper(await configurationFrom(flags, cli), cli, async (keeper) => {
    await takeList(keeper, cli.signal);
    if (flags.deployment !== undefined) await inThisAccount(keeper, flags.deployment);
    const owner = await keeper.ledger.decide(
      keeper.account,
      waking((draft) => {
        const found = ownerOf(draft, flags, contextOf(keeper));
        if (flags.fleet !== undefined) notDrained(draft, id, flags.fleet, contextOf(keeper));
        adopt(draft, id, found, contextOf(keeper));
        if (flags.fleet !== undefined) countGpus(draft, id, flags.fleet, flags.gpus);
        return whoOwns(draft, found);
      }),
    );
    cli.print(
      `${clean(id)} belongs to ${clean(nameOf(owner))} now, and is counted, billed and stopped with it.`,
    );
    return 0;
  });
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

/** A drained fleet would stop the machine at once: so it is given none, but may get its own again. */
function notDrained(draft: Draft, id: string, name: string, context: Context): void {
  if (draft.deployments.get(id)?.owner === fleetOwner(name)) return;
  const fleet = draft.fleets.get(name);
  const stands = fleet && fleetPhase(draft, fleet, context);
  if (stands?.kind !== "drained") return;
  throw mistake(`fleet ${name} stops what it has: ${stands.why}.`);
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
