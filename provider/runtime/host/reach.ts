import { type Actor, hasRight, isStill, reaches } from "../../../agent/orders/actor.ts";
import type { StackCall, StackRefusal } from "../../../agent/tell/http/api/stacks.ts";
import type { Keeper } from "../../../launch/index.ts";
import type { Draft, Owner } from "../../../ledger/index.ts";
import { readDraft } from "../../../ledger/index.ts";
import { ownerParts } from "../../../ledger/owner.ts";
import type { Properties } from "../inputs/resource-kind.ts";
import { isUnknown } from "../inputs/unknown.ts";
import { sourceOf } from "../ownership/fleet-source.ts";

const LOOKS: readonly string[] = ["check", "diff"];

type Asked = Pick<StackCall, "kind" | "method" | "args">;

/** Why this actor may not ask that, or undefined. */
export async function whyNotReached(
  actor: Actor,
  asked: Asked,
  keeper: Keeper,
): Promise<StackRefusal | undefined> {
  const { ledger, clock } = keeper;
  if (!isStill(actor, await readDraft(keeper), clock.now()))
    return { refused: "gone", text: "this token is over, or was revoked." };
  const needed = asked.kind === "lookup" ? "read" : "declare";
  if (!hasRight(actor, needed))
    return {
      refused: "forbidden",
      text: `${actor.name} may ${actor.may}, and what a stack asks needs ${needed}. Beside the ledger: fleetkeeper token create --name NAME --may ${needed}.`,
    };
  if (actor.fleets === undefined || asked.kind === "lookup") return undefined;
  const drafts: Draft[] = [];
  for (const { key } of await ledger.accounts()) drafts.push(await readDraft({ ledger, account: key }));
  const found = namesIn(asked, drafts);
  // A name may not be known yet in a preview, which changes nothing. Whatever else names nobody is about nobody's.
  const names = found.length > 0 || LOOKS.includes(asked.method) ? found : [undefined];
  const outside = names.find((name) => !reaches(actor, name));
  if (outside === undefined && !names.includes(undefined)) return undefined;
  return {
    refused: "forbidden",
    text: `${actor.name} is for ${actor.fleets.join(", ")}, and not for ${outside ?? "a machine that is nobody's here"}. A Deployment is reached by PROJECT/STACK/NAME.`,
  };
}

/**
 * Of whom the call is: as it says itself, and as the rows have whatever it names. The ids come from a state, which whoever
 * asks can write. Undefined: of nobody.
 */
function namesIn({ kind, args }: Asked, drafts: readonly Draft[]): readonly (string | undefined)[] {
  const id = typeof args[0] === "string" ? args[0] : undefined;
  const props = args.filter((each): each is Properties => typeof each === "object" && each !== null);
  const given = (key: string): readonly string[] =>
    props.flatMap(({ [key]: value }) => (typeof value === "string" && !isUnknown(value) ? [value] : []));
  if (kind === "fleet" || kind === "wish") {
    const sources = kind === "fleet" && id !== undefined ? [sourceOf(id)] : given("source");
    const rows = drafts.flatMap(({ fleets }) => [...fleets.values()]);
    const theirs = rows.filter(({ source }) => sources.includes(source));
    return [...given("name"), ...theirs.map(({ part, name }) => part?.of ?? name)];
  }
  const slots = kind === "slot" && id !== undefined ? [id] : [...given("slot"), ...props.flatMap(slotOf)];
  const machines = [...given("adopt"), ...(kind === "machine" && id !== undefined ? [id] : [])];
  return [
    ...given("label"),
    ...slots.flatMap((each) => drafts.flatMap((draft) => draft.slots.get(each)?.name ?? [])),
    ...machines.map((each) => holderOf(each, drafts)),
  ];
}

/** Of a machine's inputs, as a program gives them: see `flattened`. */
function slotOf({ slot }: Properties): readonly string[] {
  const { id } = (typeof slot === "object" && slot !== null ? slot : {}) as Properties;
  return typeof id === "string" ? [id] : [];
}

function holderOf(machine: string, drafts: readonly Draft[]): string | undefined {
  for (const draft of drafts) {
    const owner = draft.deployments.ever(machine)?.owner ?? null;
    if (owner !== null) return nameOfOwner(draft, owner);
  }
  return undefined;
}

function nameOfOwner(draft: Draft, owner: Owner): string | undefined {
  const { kind, name } = ownerParts(owner);
  return kind === "fleet" ? (draft.fleets.get(name)?.part?.of ?? name) : draft.slots.get(name)?.name;
}
