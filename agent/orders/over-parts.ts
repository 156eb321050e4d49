import { waking } from "../../launch/waking.ts";
import type { Draft } from "../../ledger/draft.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { readDraft, scratchDraft } from "../../ledger/read-draft.ts";
import type { FleetRow } from "../../ledger/rows.ts";
import { FleetkeeperError } from "../../service/contract/errors.ts";
import type { Json } from "../../service/contract/service.ts";
import { hasAgent } from "../fleet/phase/agent-alive.ts";
import type { PartSaid } from "../json/answers.ts";
import { type Actor, actorIn } from "./actor.ts";
import { type CarriedOut, decide, type Given, type Refused } from "./carry-out.ts";
import type { LedgerOrder, OrderedPart } from "./ledger-orders.ts";
import type { Order, OrderContext } from "./order.ts";
import { fleetVersion, versionOfParts, versionsIn } from "./version.ts";

/** One order about all parts of something, by one actor. */
export interface GivenOver extends Omit<Given, "order" | "input"> {
  readonly order: LedgerOrder;
  readonly input: Readonly<Record<string, Json>>;
}

/** Where the parts are. */
export interface Accounts {
  readonly ledger: Ledger;
  context(isDry: boolean): OrderContext;
  /** False: another agent's, which has not let in whoever has no token of the ledger's. */
  isOwn(account: string): boolean;
}

export interface CarriedOutOver {
  readonly parts: readonly PartSaid[];
  /** Each part had carried it out before, with the same key. */
  readonly isAgain: boolean;
}

/** What an order is to each of its parts, and what each says to it on rows that are thrown away. */
export interface Tried {
  readonly parts: readonly (OrderedPart & { readonly given: Given; readonly before: CarriedOut })[];
}

/** Asks each part whether it would carry the order out. Nothing is stored. */
export async function tryOver(given: GivenOver, accounts: Accounts): Promise<Tried | Refused> {
  const { order, target, input, version } = given;
  const { ledger } = accounts;
  const parts = await order.partsOf(ledger, target, input);
  if (parts.length === 0) return noFleet(target);
  const versions = version === undefined ? undefined : versionsIn(version);
  const tried = [];
  for (const part of parts) {
    const draft = await scratchDraft({ ledger, account: part.account });
    const its = {
      ...given,
      order: order.each,
      target: part.fleet,
      input: order.about === "fleet" ? input : {},
    };
    const mine: Given = { ...its, version: versions && (versions.get(part.fleet) ?? "none") };
    const before = decideFor(draft, part, mine, accounts, true);
    if ("refused" in before) return newer(before, given, parts, ledger);
    tried.push({ ...part, given: mine, before, draft });
  }
  const undone =
    tried.some(({ before }) => !before.isAgain) && tried.find((each) => isUndone(each, accounts));
  if (undone)
    return {
      refused: "otherOrder",
      text: `${undone.fleet} was changed after this order was carried out for it, and the other parts never had it: give it anew, with a new key.`,
    };
  const isOfAll = versions === undefined || versions.size === parts.length;
  return isOfAll ? { parts: tried } : newer({ refused: "otherVersion", text: "" }, given, parts, ledger);
}

/** Whether somebody took back what it did with the same key. To go on with the others would leave half an order. */
function isUndone(
  { draft, given, before }: Tried["parts"][number] & { readonly draft: Draft },
  { context }: Accounts,
): boolean {
  if (!before.isAgain) return false;
  const version = () => {
    // How long somebody asks for counts from now: anew it is another one.
    const { ask: _until, ...fleet } = draft.fleets.get(given.target) as FleetRow;
    return fleetVersion(fleet);
  };
  const now = version();
  given.order.give(draft, given.target, given.input, context(true));
  return version() !== now;
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
  const { first } = given.order;
  const open = tried.parts.filter(({ before }) => !before.isAgain);
  const done: string[] = [];
  const held: string[] = [];
  const half = (): string => halfDone(done, held, given.target);
  const give = async (part: Tried["parts"][number], mine: Given): Promise<CarriedOut | Refused> => {
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
  if (first && tried.parts.length > 1)
    for (const part of open) {
      const { key: _later, ...its } = part.given;
      const outcome = await give(part, { ...its, order: { ...first, ...sameAsOf(part.given.order) } });
      if ("refused" in outcome) return refusedAs(outcome);
      held.push(part.fleet);
    }
  const answers = new Map<string, Json>();
  for (const part of tried.parts) {
    const outcome = part.before.isAgain ? part.before : await give(part, part.given);
    if ("refused" in outcome) return refusedAs(outcome);
    answers.set(part.fleet, outcome.answer);
    done.push(part.fleet);
  }
  return { parts: await said(tried.parts, answers, accounts), isAgain: open.length === 0 };
}

/** What was tried, as it is told. */
export function saidIfTried({ parts }: Tried, accounts: Accounts): Promise<readonly PartSaid[]> {
  return said(parts, new Map(parts.map(({ fleet, before }) => [fleet, before.answer])), accounts);
}

function said(
  parts: readonly OrderedPart[],
  answers: ReadonlyMap<string, Json>,
  { ledger, context }: Accounts,
): Promise<readonly PartSaid[]> {
  return Promise.all(
    parts.map(async ({ account, fleet, of, service }) => ({
      ...{ fleet, of, service },
      hasAgent: await hasAgent({ ledger, account }, context(true)),
      answer: answers.get(fleet) ?? null,
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
function halfDone(done: readonly string[], held: readonly string[], target: string): string {
  if (done.length > 0)
    return ` It was carried out for ${done.join(", ")}: the same order again does the rest.`;
  return held.length === 0
    ? ""
    : ` ${held.join(", ")} ${held.length === 1 ? "is" : "are"} paused by it, and nothing more was done: the same order again does the rest, and fleetkeeper resume ${target} ends the pause.`;
}

/** A part's version alone is of no use to who orders all. */
async function newer(
  refused: Refused,
  { target, version }: GivenOver,
  parts: readonly OrderedPart[],
  ledger: Ledger,
) {
  if (refused.refused !== "otherVersion") return refused;
  const now = await versionOver(parts, ledger);
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
