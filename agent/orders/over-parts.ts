import { waking } from "../../launch/mark-wake.ts";
import type { Draft } from "../../ledger/draft.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { readDraft, scratchDraft } from "../../ledger/read-draft.ts";
import type { FleetRow } from "../../ledger/rows.ts";
import { FleetkeeperError } from "../../service/contract/errors.ts";
import type { Json } from "../../service/contract/service.ts";
import { hasAgent } from "../fleet/phase/agent-alive.ts";
import { serviceOf } from "../fleet/phase/part.ts";
import type { PartSaid } from "../json/answers.ts";
import { readAll } from "../status/account-status.ts";
import { type Actor, actorIn } from "./actor.ts";
import { type CarriedOut, decide, type Given, type Refused } from "./carry-out.ts";
import type { Accounts, LedgerOrder, OrderedPart } from "./ledger-order.ts";
import type { Order } from "./order.ts";
import { fleetVersion, isVersionedBy, versionOfParts, versionsIn } from "./version.ts";

/** One order about all parts of something, by one actor. */
export interface GivenOver extends Omit<Given, "order" | "input"> {
  readonly order: LedgerOrder;
  readonly input: Readonly<Record<string, Json>>;
}

export interface CarriedOutOver {
  readonly parts: readonly PartSaid[];
  /** Each part had carried it out before, with the same key. */
  readonly isAgain: boolean;
}

/** What an order is to each of its parts, and what each says to it on rows that are thrown away. */
export interface Tried {
  readonly parts: readonly TriedPart[];
}

interface TriedPart extends OrderedPart {
  readonly given: Given;
  readonly before: CarriedOut;
}

/** Asks each part whether it would carry the order out. Nothing is stored. */
export async function tryOver(given: GivenOver, accounts: Accounts): Promise<Tried | Refused> {
  const { order, target, input, version } = given;
  const { ledger } = accounts;
  const parts = await order.partsOf(accounts, target, input);
  if (parts.length === 0 && order.about !== "file") return noFleet(target);
  const versions = version === undefined || order.about === "file" ? undefined : versionsIn(version);
  const tried: (TriedPart & { readonly draft: Draft; readonly isThere: boolean })[] = [];
  let other: Refused | undefined;
  for (const part of parts) {
    const draft = await scratchDraft({ ledger, account: part.account });
    const its = {
      ...given,
      order: part.order ?? order.each,
      target: part.fleet,
      input: order.about === "service" ? {} : input,
    };
    const mine: Given = versions ? { ...its, version: versions.get(part.fleet) ?? "none" } : its;
    const first = decideFor(draft, part, mine, accounts, true);
    const isOther = "refused" in first && first.refused === "otherVersion";
    const was = versionNow(draft, mine);
    const before = isOther ? decideFor(draft, part, { ...mine, version: undefined }, accounts, true) : first;
    if ("refused" in before) return newer(before, given, parts, ledger);
    const isThere = isOther && versionNow(draft, mine) === was;
    if (isOther && !isThere) return newer(first, given, parts, ledger);
    if (isOther) other = first;
    tried.push({ ...part, given: isThere ? remembered(draft, mine, before) : mine, before, isThere, draft });
  }
  // Half an order goes on. One that is done, or that others were faster with, is another version as ever.
  if (other && tried.every(({ isThere }) => isThere)) return newer(other, given, parts, ledger);
  const open = tried.filter(({ before }) => !before.isAgain);
  const undone = open.length > 0 && tried.find((each) => isUndone(each, accounts));
  if (undone)
    return {
      refused: "otherOrder",
      text: `${shownName(undone)} was changed after this order was carried out for it, and the other parts never had it: give it anew, with a new key.`,
    };
  const isOfAll = versions === undefined || versions.size === parts.length;
  if (!isOfAll) return newer({ refused: "otherVersion", text: "" }, given, parts, ledger);
  if (open.length > 0) await order.refuse?.(ledger, target, open);
  return { parts: tried };
}

/** It is as the order would have it: what came before it, and was cut off, may have done that. It is told its key alone. */
function remembered(draft: Draft, given: Given, { answer }: CarriedOut): Given {
  return { ...given, asOf: versionIn(draft, given), order: { ...given.order, give: () => answer } };
}

/** Whether somebody took back what it did with the same key. To go on with the others would leave half an order. */
function isUndone(
  { draft, given, before }: TriedPart & { readonly draft: Draft },
  { context }: Accounts,
): boolean {
  if (!before.isAgain) return false;
  const now = versionNow(draft, given);
  given.order.give(draft, given.target, given.input, context(true));
  return versionNow(draft, given) !== now;
}

/** Of what the order is about, in this account. How long somebody asks for counts from now, and is another one anew. */
function versionNow(draft: Draft, given: Given): string {
  return versionIn(draft, given, ({ ask: _until, ...rest }) => rest);
}

function versionIn(
  { fleets }: Draft,
  { order, target }: Given,
  as: (fleet: FleetRow) => FleetRow = (fleet) => fleet,
): string {
  if (order.about === "file")
    return versionOfParts(new Map([...fleets].filter(([, fleet]) => isVersionedBy(target, fleet))));
  const fleet = fleets.get(target);
  return fleet ? fleetVersion(as(fleet)) : "none";
}

/** A file is called the same in each account. */
function shownName({ fleet, service, order }: OrderedPart): string {
  return order?.about === "file" ? (service ?? fleet) : fleet;
}

export function noFleet(name: string): Refused {
  return { refused: "unknown", text: `${name}: no account of this ledger has such a fleet.` };
}

/**
 * Carries an order out for all parts: a transaction of each account, since none sees two. Nothing is done unless each would
 * do it. Whatever dies in between, the same order again goes on with it.
 */
export async function carryOutOver(given: GivenOver, accounts: Accounts): Promise<CarriedOutOver | Refused> {
  const tried = await tryOver(given, accounts);
  if ("refused" in tried) return tried;
  const open = tried.parts.filter(({ before }) => !before.isAgain);
  const done: string[] = [];
  const held: string[] = [];
  const half = (): string => halfDone(done, held, given);
  const give = async (part: TriedPart, mine: Given): Promise<CarriedOut | Refused> => {
    try {
      return await accounts.ledger.decide(
        part.account,
        waking((draft) => decideFor(draft, part, mine, accounts, false)),
      );
    } catch (error) {
      if (!(error instanceof FleetkeeperError) || half() === "") throw error;
      throw new FleetkeeperError(error.code, error.message + half(), { cause: error });
    }
  };
  const refusedAs = async (outcome: Refused): Promise<Refused> => {
    const refused = await newer(outcome, given, tried.parts, accounts.ledger);
    return { ...refused, text: refused.text + half() };
  };
  if (tried.parts.length > 1)
    for (const part of open.filter((each) => each.given.asOf === undefined)) {
      const first = part.first ?? given.order.first;
      if (!first) continue;
      const { key: _later, ...its } = part.given;
      const outcome = await give(part, { ...its, order: { ...first, ...sameAsOf(part.given.order) } });
      if ("refused" in outcome) return refusedAs(outcome);
      held.push(shownName(part));
    }
  const answers = new Map<OrderedPart, Json>();
  for (const part of tried.parts) {
    const outcome = open.includes(part) ? await give(part, part.given) : part.before;
    if ("refused" in outcome) return refusedAs(outcome);
    answers.set(part, outcome.answer);
    done.push(shownName(part));
  }
  return {
    parts: await said(tried.parts, answers, accounts),
    isAgain: tried.parts.length > 0 && tried.parts.every(({ before }) => before.isAgain),
  };
}

/** What was tried, as it is told. */
export function saidIfTried({ parts }: Tried, accounts: Accounts): Promise<readonly PartSaid[]> {
  return said(parts, new Map(parts.map((part) => [part, part.before.answer])), accounts);
}

function said(
  parts: readonly OrderedPart[],
  answers: ReadonlyMap<OrderedPart, Json>,
  { ledger, context }: Accounts,
): Promise<readonly PartSaid[]> {
  return Promise.all(
    parts.map(async (part) => ({
      ...{ fleet: part.fleet, of: part.of, service: part.service },
      hasAgent: await hasAgent({ ledger, account: part.account }, context(true)),
      answer: answers.get(part) ?? null,
    })),
  );
}

function sameAsOf({ sameAs }: Order): Pick<Order, "sameAs"> {
  return sameAs ? { sameAs } : {};
}

/** In one account, by what it says itself of whoever orders. */
function decideFor(
  draft: Draft,
  { account, of }: OrderedPart,
  given: Given,
  accounts: Accounts,
  isDry: boolean,
): CarriedOut | Refused {
  const context = accounts.context(isDry);
  const { actor } = given;
  if (actor.token === undefined && !accounts.isOwn(account)) return strangers(actor, of, draft);
  return decide(draft, { ...given, actor: actorIn(actor, draft, context.now) }, context);
}

function strangers({ name }: Actor, of: string, { account }: Draft): Refused {
  return {
    refused: "forbidden",
    text:
      `${name} is known to this agent alone, and ${of} has a part in the account of ${account.email}, which it does not keep now. ` +
      "Order it with a token of the ledger: fleetkeeper token create.",
  };
}

/** `held`: what was paused before any part was given it. */
function halfDone(
  done: readonly string[],
  held: readonly string[],
  { order, target }: Pick<GivenOver, "order" | "target">,
): string {
  if (done.length > 0)
    return ` It was carried out for ${done.join(", ")}: the same order again does the rest.`;
  if (order.about === "file")
    return held.length === 0
      ? ""
      : ` What it leaves out is taken out in ${held.join(", ")}, and nothing more was done: the same order again does the rest.`;
  return held.length === 0
    ? ""
    : ` ${held.join(", ")} ${held.length === 1 ? "is" : "are"} paused by it, and nothing more was done: the same order again does the rest, and fleetkeeper resume ${target} ends the pause.`;
}

/** A part's version alone is of no use to who orders all. */
async function newer(
  refused: Refused,
  { order, target, version }: GivenOver,
  parts: readonly OrderedPart[],
  ledger: Ledger,
) {
  if (refused.refused !== "otherVersion") return refused;
  const now =
    order.about === "file" ? (await fileOver(target, ledger)).version : await versionOver(parts, ledger);
  return {
    ...refused,
    version: now,
    text: `${target} was changed since: it has version ${now}, and not ${version}.`,
  };
}

/** Which declarations and orders of all these parts somebody sees now. */
export async function versionOver(parts: readonly OrderedPart[], ledger: Ledger): Promise<string> {
  const rows = new Map<string, FleetRow>();
  for (const { account, fleet } of parts) {
    const row = (await readDraft({ ledger, account })).fleets.get(fleet);
    if (row) rows.set(fleet, row);
  }
  return versionOfParts(rows);
}

/** All that a file of the API has declared, in whatever accounts. */
export async function fileOver(
  name: string,
  ledger: Ledger,
): Promise<{ readonly version: string; readonly parts: readonly OrderedPart[] }> {
  const { drafts } = await readAll(ledger);
  const found = [...drafts].flatMap(([account, { fleets }]) =>
    [...fleets.values()].flatMap((row) => (isVersionedBy(name, row) ? [{ account, row }] : [])),
  );
  return {
    version: versionOfParts(new Map(found.map(({ row }) => [row.name, row]))) || "none",
    parts: found.map(({ account, row }) => ({
      ...{ account, fleet: row.name, of: row.part?.of ?? row.name },
      service: row.part ? serviceOf(row) : null,
    })),
  };
}
