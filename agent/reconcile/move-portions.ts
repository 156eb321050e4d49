import type { Context } from "../../launch/facts/context.ts";
import { note } from "../../launch/facts/events.ts";
import { contextOf, type Keeper } from "../../launch/keeper.ts";
import { waking } from "../../launch/mark-wake.ts";
import type { Draft } from "../../ledger/draft.ts";
import { age, type Instant } from "../../ledger/instant.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { fleetOwner } from "../../ledger/owner.ts";
import { readDraft } from "../../ledger/read-draft.ts";
import type { FleetRow, GrantRow, PartRow } from "../../ledger/rows.ts";
import { USD } from "../../service/contract/money.ts";
import { isAgentAlive } from "../fleet/phase/agent-alive.ts";
import { forgetGiven, isStopped, MONEY, portionOf, take, wholeOf, withPart } from "../fleet/phase/part.ts";
import { readParts, type SeenPart } from "../fleet/phase/whole-parts.ts";
import { isPastItsWindow, isToWake, nextSize, storeSize, wakePart } from "../fleet/size/whole-size.ts";
import { parseWish } from "../fleet/wish/wish.ts";
import { count } from "../planning/count/count.ts";
import { CHOSEN_POLLS } from "../planning/holds/fleet-holds.ts";
import { workingGpus } from "../planning/machines/readiness.ts";
import { type Chosen, chooseParts, type Whole } from "../planning/parts/choose-parts.ts";
import { isRecent } from "../planning/parts/offered.ts";
import type { PartFacts } from "../planning/parts/part-facts.ts";
import { give, heldBy } from "../planning/parts/part-held.ts";
import { lackText, troublesOf } from "../planning/parts/part-troubles.ts";
import { goingOf } from "../planning/parts/smaller-whole.ts";

/** The ledger of all accounts, and without the lease of one. */
export type AllAccounts = Pick<Ledger, "accounts" | "read" | "decide">;

/**
 * Moves shares between the parts of fleets that this account has a part of, and says which parts launch what is missing. Each
 * step is a transaction of one account, and whatever ends between two of them is gone on with by whoever comes next: see
 * agent/fleet/phase/part.ts. One agent chooses, that of the first part that has one; a second one would do no harm.
 */
export async function movePortions(keeper: Keeper, ledger: AllAccounts): Promise<void> {
  const seen = contextOf(keeper).now;
  const own = await readDraft(keeper);
  const wholes = new Set([...own.fleets.values()].flatMap(({ part }) => (part ? [part.of] : [])));
  if (wholes.size === 0) return;
  let parts = await readParts(ledger);
  const fell = new Map<string, number>();
  for (const whole of wholes) fell.set(whole, await followSize(keeper, ledger, parts.get(whole) ?? []));
  if ([...fell.values()].some(Boolean)) parts = await readParts(ledger);
  for (const whole of wholes)
    await movePortionsOf(keeper, ledger, parts.get(whole) ?? [], seen, Math.max(0, fell.get(whole) ?? 0));
}

/** The whole gets the size that is asked for by now, from whoever chooses among its parts: by how many GPUs it fell. */
async function followSize(keeper: Keeper, ledger: AllAccounts, parts: readonly SeenPart[]): Promise<number> {
  const [first] = parts;
  const context = contextOf(keeper);
  if (first?.fleet.name !== first?.part.of || !first) return 0;
  if (choosingAmong(parts, context)?.account !== keeper.account) return 0;
  let { part } = first;
  if (nextSize(first.fleet, context) !== undefined)
    part = await ledger.decide(
      first.account,
      waking((draft) => {
        storeSize(draft, first.fleet.name, contextOf(keeper));
        return draft.fleets.get(first.fleet.name)?.part ?? part;
      }),
    );
  for (const { account, fleet } of parts)
    if (isToWake(fleet, part))
      await ledger.decide(
        account,
        waking((draft) => wakePart(draft, fleet.name, part, contextOf(keeper))),
      );
  return wholeOf(first.part).gpus - wholeOf(part).gpus;
}

/** The part whose agent chooses: the first that has one. One that cannot read its own service plans nothing, and so chooses nothing. */
function choosingAmong(parts: readonly SeenPart[], context: Context): SeenPart | undefined {
  return parts.find(({ draft }) => isAgentAlive(draft, context) && !draft.account.outage);
}

/**
 * A first part that a smaller whole has left with more machines than its share. Before it stops any, the others give back
 * what is free there: else it would stop what the whole wants.
 */
export async function isAboveItsPortion(keeper: Keeper): Promise<boolean> {
  const draft = await readDraft(keeper);
  return [...draft.fleets.values()].some((fleet) => {
    const { name, part } = fleet;
    if (name !== part?.of) return false;
    const { gpus, overshoot } = portionOf(fleet, part);
    return (heldBy(draft, fleet, contextOf(keeper)).gpus ?? 0) > gpus + overshoot;
  });
}

/** `seen`: before the parts were read. */
async function movePortionsOf(
  keeper: Keeper,
  ledger: AllAccounts,
  parts: readonly SeenPart[],
  seen: Instant,
  fell: number,
): Promise<void> {
  // What an agent that stood still chose before may stop what is wanted by now.
  const isOld = (): boolean => age(seen, contextOf(keeper).now) > keeper.settings.stampAge;
  const known = new Map(parts.map(({ fleet, part }) => [fleet.name, part]));
  const accounts = new Map(parts.map(({ account, fleet }) => [fleet.name, account]));
  let isUnderWay = false;
  for (const { fleet, part } of parts) {
    for (const grant of part.given) {
      isUnderWay = true;
      await deliver(ledger, accounts, fleet, grant);
    }
  }
  // What was read is not what is there any more.
  if (isUnderWay) return;
  const [first] = parts;
  if (first?.fleet.name !== first?.part.of || !first) return;
  const context = contextOf(keeper);
  const { short, extra, lack, moves, ahead, keeps } = choiceAmong(first, parts, context, fell);
  await storeShort(keeper, parts, Math.max(0, short));
  const isMine = choosingAmong(parts, context)?.account === keeper.account;
  const isAwaited = short > 0 && parts.some((part) => isOwing(part, context));
  const troubles = isMine ? troublesOf(parts) : [];
  await storeTroubles(keeper, parts, troubles, isMine && !isAwaited ? lackText(lack) : []);
  if (!isMine) return;
  // Prices in two currencies are no sum, and no limit could be held to them.
  if (new Set(parts.map(({ draft }) => draft.account.currency ?? USD)).size > 1) return;
  if (isAwaited) return;
  for (const { from, to, amount, evenHeld } of moves) {
    const giver = accounts.get(from);
    if (giver === undefined) continue;
    const given = await ledger.decide(
      giver,
      waking((draft) => {
        if (isOld() || (evenHeld && !isAsKnown(draft.fleets.get(from)?.part, known.get(from))))
          return undefined;
        return give(draft, from, { to, amount }, contextOf(keeper), evenHeld)
          ? draft.fleets.get(from)?.part
          : undefined;
      }),
    );
    if (given) known.set(from, given);
    const grant = given?.given.at(-1);
    if (grant) await deliver(ledger, accounts, { name: from, source: first.fleet.source }, grant);
  }
  const isMoved = new Set(moves.map(({ to }) => to));
  for (const { account, fleet, part } of parts) {
    const isOver =
      sinceChosen(part, keeper) > keeper.settings.poll * (CHOSEN_POLLS - 1) ||
      isPastItsWindow(part, part.chosen ?? 0, contextOf(keeper));
    const isChosen = extra.has(fleet.name) && (isOver || isMoved.has(fleet.name));
    const next = nextOf(fleet, part, { ahead, keeps });
    const isSame = next.ahead === (part.ahead ?? 0) && next.keeps === part.keeps;
    if (!isChosen && isSame) continue;
    await ledger.decide(
      account,
      waking((draft) => {
        if (!isOld()) choose(draft, fleet.name, next, isChosen ? contextOf(keeper).now.wall : undefined);
      }),
    );
  }
}

/** Where the whole of this first part launches what it lacks, and which shares move for that. */
export function choiceAmong(
  { fleet, part }: Pick<SeenPart, "fleet" | "part">,
  parts: readonly Omit<SeenPart, "account">[],
  context: Context,
  fell = 0,
): Chosen {
  return chooseParts(
    // Its declaration is being taken back, part by part: what one has lost already no other makes up for.
    { ...wholeFacts(part), isEnding: fleet.removed, fell },
    parts.map((each) => ({
      ...factsOf(each, context),
      goes: fell > 0 ? goingOf(each.draft, each.fleet, context) : [],
    })),
  );
}

/** One that keeps its account and reads its service says soon what can be had there. */
function isOwing({ draft, fleet, part }: SeenPart, context: Context): boolean {
  const isRead = isAgentAlive(draft, context) && !draft.account.outage;
  return isRead && !isLeaving(fleet) && !isRecent(part.offered, context);
}

/** How far a part is that leaves, or that has launched in the place of one. */
interface Next {
  readonly ahead: number;
  readonly keeps: number | undefined;
}

export function nextOf(
  fleet: FleetRow,
  part: PartRow,
  { ahead, keeps }: Pick<Chosen, "ahead" | "keeps">,
): Next {
  const kept = keeps.get(fleet.name);
  return {
    ahead: ahead.get(fleet.name) ?? part.ahead ?? 0,
    keeps: kept === undefined || kept >= portionOf(fleet, part).gpus ? undefined : kept,
  };
}

function sinceChosen({ chosen }: PartRow, { clock }: Keeper): number {
  return chosen === undefined ? Number.POSITIVE_INFINITY : clock.now().wall - chosen;
}

/** Nobody else gave anything of it, and it is of the same whole. Two agents that choose at once stop no machine twice. */
function isAsKnown(now: PartRow | undefined, known: PartRow | undefined): boolean {
  const gist = (part: PartRow | undefined): string => JSON.stringify([part?.whole, part?.net, part?.sent]);
  return gist(now) === gist(known);
}

export function choose(draft: Draft, name: string, { ahead, keeps }: Next, at: number | undefined): void {
  const fleet = draft.fleets.get(name);
  if (!fleet?.part) return;
  const { keeps: _kept, ahead: _before, ...part } = fleet.part;
  draft.putFleet(
    withPart(fleet, {
      ...part,
      ...(ahead > 0 && { ahead }),
      // It may have been taken back meanwhile.
      ...(part.leaving && keeps !== undefined && { keeps }),
      ...(at !== undefined && { chosen: at }),
    }),
  );
}

async function deliver(
  ledger: AllAccounts,
  accounts: ReadonlyMap<string, string>,
  { name: from, source }: Pick<FleetRow, "name" | "source">,
  grant: GrantRow,
): Promise<void> {
  const [giver, taker] = [accounts.get(from), accounts.get(grant.to)];
  // A part that is not declared yet takes it later.
  if (giver === undefined || taker === undefined) return;
  const isItsTaker = await ledger.decide(
    taker,
    waking((draft) => {
      // Whoever comes late finds the name with another one, whose whole is none of this.
      if (draft.fleets.get(grant.to)?.source !== source) return false;
      take(draft, from, grant);
      return true;
    }),
  );
  if (isItsTaker) await ledger.decide(giver, (draft) => forgetGiven(draft, from, grant.to, grant.sequence));
}

function wholeFacts(part: PartRow): Omit<Whole, "isEnding" | "fell"> {
  const { budget, placement, allOrNothing } = parseWish(part.whole);
  return {
    amount: wholeOf(part),
    limits: MONEY.filter((limit) => budget[limit] !== undefined),
    atLeast: part.atLeast ?? 1,
    together: placement === "same" || allOrNothing !== undefined,
  };
}

/** It was taken out, or an operator drains it: what is free of it goes to the others. */
function isLeaving(fleet: FleetRow): boolean {
  return isStopped(fleet) || fleet.part?.leaving !== undefined;
}

function factsOf(
  { draft, fleet, part }: Omit<SeenPart, "account">,
  context: Context,
): Omit<PartFacts, "goes"> {
  const isSeen = isAgentAlive(draft, context) && !draft.account.outage;
  return {
    name: fleet.name,
    portion: portionOf(fleet, part),
    held: heldBy(draft, fleet, context),
    offered: isRecent(part.offered, context) ? part.offered : undefined,
    isLeaving: isLeaving(fleet),
    isPatient: part.leaving !== undefined && !isStopped(fleet) && !fleet.paused,
    ahead: part.ahead ?? 0,
    stopping: count(draft, fleet, context).stopping,
    serves: isSeen && !isLeaving(fleet) ? workingGpus(draft, fleet, context) : 0,
    isRemoved: fleet.removed || part.leaving === "declaration",
  };
}

/** Its own parts alone: each agent reads offers while the whole lacks something. */
async function storeShort(
  { ledger, account }: Keeper,
  parts: readonly SeenPart[],
  short: number,
): Promise<void> {
  const mine = parts.filter((part) => part.account === account && (part.part.short ?? 0) !== short);
  if (mine.length === 0) return;
  await ledger.decide(
    account,
    waking((draft) => {
      for (const { fleet } of mine) {
        const row = draft.fleets.get(fleet.name);
        if (!row?.part) continue;
        const { short: _before, ...part } = row.part;
        draft.putFleet({ ...row, part: short === 0 ? part : { ...part, short } });
      }
    }),
  );
}

/** Stored with the fleet of whoever chooses, who tells each trouble once: another one may have chosen before. */
async function storeTroubles(
  keeper: Keeper,
  parts: readonly SeenPart[],
  troubles: readonly string[],
  lacks: readonly string[],
): Promise<void> {
  const all = [...troubles, ...lacks];
  const told = new Set(parts.flatMap(({ part }) => part.troubles ?? []));
  for (const [index, { fleet, part }] of parts
    .filter(({ account }) => account === keeper.account)
    .entries()) {
    const next = index === 0 ? all : [];
    if (JSON.stringify(next) === JSON.stringify(part.troubles ?? [])) continue;
    await keeper.ledger.decide(keeper.account, (draft) => {
      const row = draft.fleets.get(fleet.name);
      if (!row?.part) return;
      const { troubles: _before, ...rest } = row.part;
      draft.putFleet({ ...row, part: next.length === 0 ? rest : { ...rest, troubles: next } });
      for (const text of index === 0 ? troubles.filter((each) => !told.has(each)) : [])
        note(draft, contextOf(keeper), "serviceOut", `${row.part.of}: ${text}`, {
          owner: fleetOwner(row.name),
        });
    });
  }
}
