import { note } from "../../launch/facts/events.ts";
import { contextOf, type Keeper } from "../../launch/keeper.ts";
import { waking } from "../../launch/mark-wake.ts";
import type { Draft } from "../../ledger/draft.ts";
import { fleetOwner } from "../../ledger/owner.ts";
import type { Json } from "../../service/contract/service.ts";
import { machineVersion } from "../status/machine-version.ts";
import { type Actor, hasRight, isStill, reaches } from "./actor.ts";
import { answerTo, keepAnswer, orderDigest } from "./answers.ts";
import { sourceOfFile } from "./api-declaration.ts";
import { fleetOfMachine, type Order, type OrderContext } from "./order.ts";
import { fleetVersion, isVersionedBy, NO_FLEET, versionsIn } from "./version.ts";

/** One order, by one actor. */
export interface Given {
  readonly order: Order;
  /** A fleet's name, or a deployment's id. Of the account: nothing. */
  readonly target: string;
  /** As the order's schema has it. */
  readonly input: Json;
  readonly actor: Actor;
  /** The same key again has the answer of the first time. */
  readonly key?: string | undefined;
  /** The fleet's, or machine's, version that the actor has seen. Undefined: it does not matter. */
  readonly version?: string | undefined;
  /** The version that counts in its place: an earlier try of the same order has made this one. */
  readonly asOf?: string | undefined;
}

/** Why nothing was done. */
export type Refused =
  | { readonly refused: "unknown" | "forbidden" | "gone" | "otherOrder"; readonly text: string }
  | { readonly refused: "otherVersion"; readonly text: string; readonly version?: string };

export interface CarriedOut {
  readonly answer: Json;
  /** It was carried out before, with the same key. */
  readonly isAgain: boolean;
}

/** What an order knows, on this account. */
export function orderContext(keeper: Keeper, actor: Actor, isDry: boolean): OrderContext {
  const { ledger, service } = keeper;
  return { ...contextOf(keeper), actor: actor.name, can: service.abilities, place: ledger, isDry };
}

/** Carries it out in one transaction, which asks once more whether the actor may. Throws what the order throws. */
export async function carryOut(keeper: Keeper, given: Given): Promise<CarriedOut | Refused> {
  return keeper.ledger.decide(
    keeper.account,
    waking((draft) => decide(draft, given, orderContext(keeper, given.actor, false))),
  );
}

/** Carries an order out on one draft, in a decision of the caller. */
export function decide(draft: Draft, given: Given, context: OrderContext): CarriedOut | Refused {
  const { order, target, input, actor, key, version } = given;
  const refused = whyNot(draft, given, context);
  if (refused) return refused;
  const digest = orderDigest([order.about, order.name, target, input, version ?? null]);
  const before = key === undefined ? undefined : answerTo(draft, key, actor.name);
  if (before && before.order !== digest)
    return {
      refused: "otherOrder",
      text: `another order came with the key ${key} before: a new order needs a new key.`,
    };
  if (before) return { answer: before.answer, isAgain: true };
  const newer = otherVersion(draft, given);
  if (newer) return newer;
  const answer = order.give(draft, target, input, context);
  noteUnsaid(draft, given, context);
  if (key !== undefined)
    keepAnswer(draft, { key, actor: actor.name, order: digest, at: context.now.wall, answer });
  return { answer, isAgain: false };
}

/** Some orders only have something tried anew, which may rent, and tell nothing of it: who ordered it must be found. */
function noteUnsaid(draft: Draft, { order, target }: Given, context: OrderContext): void {
  const { changes } = draft;
  if (changes.length === 0 || changes.some(({ table }) => table === "event")) return;
  const owner = order.about === "fleet" ? fleetOwner(target) : null;
  const about = { owner, deployment: order.about === "deployment" ? target : null };
  note(
    draft,
    context,
    "ordered",
    `${order.name} of ${target === "" ? WHOLE.account : target} was ordered`,
    about,
  );
}

/** Why this actor may not order that, or nobody can: asked in the transaction. */
export function whyNot(
  draft: Draft,
  { order, target, input, actor }: Given,
  { now }: Pick<OrderContext, "now">,
): Refused | undefined {
  if (!isStill(actor, draft, now)) return { refused: "gone", text: "this token is over, or was revoked." };
  if (!hasRight(actor, order.needs))
    return {
      refused: "forbidden",
      text: `${actor.name} may ${actor.may}, and ${order.name} of ${WHOLE[order.about]} needs ${order.needs}.`,
    };
  if (order.about === "fleet" && !order.isNew && !draft.fleets.has(target))
    return {
      refused: "unknown",
      text: `${target}: this account has no such fleet. There are: ${[...draft.fleets.keys()].join(", ") || "none"}.`,
    };
  if (order.about === "deployment" && draft.deployments.ever(target) === undefined)
    return { refused: "unknown", text: `${target}: this account has no such deployment.` };
  const touched = order.touches?.(draft, target, input) ?? [fleetOf(draft, order, target)];
  if (touched.every((name) => reaches(actor, name && wholeName(draft, name)))) return undefined;
  return {
    refused: "forbidden",
    text: `${actor.name} is for fleets ${actor.fleets?.join(", ")}, and not for ${order.name} of ${target === "" ? "the account" : target}.`,
  };
}

const WHOLE = {
  fleet: "a fleet",
  file: "a fleet file",
  deployment: "a deployment",
  account: "the account",
} as const;

/** The fleet that an order is about. */
function fleetOf(draft: Draft, { about }: Order, target: string): string | undefined {
  if (about === "deployment") return fleetOfMachine(draft, target);
  return about === "fleet" ? target : undefined;
}

/** As its file calls it. */
function wholeName(draft: Draft, name: string): string {
  return draft.fleets.get(name)?.part?.of ?? name;
}

function otherVersion(
  draft: Draft,
  { order, target, version: seen, asOf: version = seen }: Given,
): Refused | undefined {
  if (version === undefined) return undefined;
  if (order.about === "file") return otherFile(draft, { order, target, version });
  const machine = order.about === "deployment" ? draft.deployments.ever(target) : undefined;
  if (machine) return isOther(target, version, machineVersion(machine));
  const fleet = order.about === "fleet" ? draft.fleets.get(target) : undefined;
  if (!fleet && order.isNew && version === NO_FLEET) return undefined;
  if (!fleet)
    return {
      refused: "otherVersion",
      text: `${target}: there is no such fleet now, so none has version ${version}.`,
    };
  if (order.sameAs && version === fleetVersion(order.sameAs(fleet))) return undefined;
  return isOther(target, version, fleetVersion(fleet));
}

/** The version of a file names its fleets in all accounts. */
function otherFile(
  draft: Draft,
  { order, target, version }: { readonly order: Order; readonly target: string; readonly version: string },
): Refused | undefined {
  const seen = versionsIn(version);
  for (const fleet of draft.fleets.values()) {
    if (fleet.source !== sourceOfFile(target)) continue;
    const was = seen.get(fleet.name);
    const as = order.sameAs?.(fleet) ?? fleet;
    if ([fleet, as].some((each) => was === (isVersionedBy(target, each) ? fleetVersion(each) : undefined)))
      continue;
    return {
      refused: "otherVersion",
      text: `${target} was changed since: its fleet ${fleet.name} is another one now.`,
    };
  }
  return undefined;
}

function isOther(target: string, version: string, now: string): Refused | undefined {
  if (version === now) return undefined;
  return {
    refused: "otherVersion",
    version: now,
    text: `${target} was changed since: it has version ${now}, and not ${version}.`,
  };
}
