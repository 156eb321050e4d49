import { type Actor, hasRight, isStill, reaches } from "../../../agent/orders/actor.ts";
import type { StackCall, StackRefusal } from "../../../agent/tell/http/api/stacks.ts";
import type { Keeper } from "../../../launch/index.ts";
import { type Draft, type Owner, readDraft } from "../../../ledger/index.ts";
import { ownerParts } from "../../../ledger/owner.ts";
import { flattened } from "../inputs/inputs.ts";
import type { Properties } from "../inputs/resource-kind.ts";
import { isUnknown, UNKNOWN } from "../inputs/unknown.ts";
import { sourceOf } from "../ownership/fleet-source.ts";

const LOOKS: readonly string[] = ["check", "diff"];
/** What is about a resource that there is: it begins with its id. */
const WITH_ID: readonly string[] = ["diff", "read", "update", "delete", "import"];

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
  if (asked.kind === "lookup") return undefined;
  const forged = whyForged(asked);
  if (forged !== undefined) return { refused: "forbidden", text: forged };
  const drafts: Draft[] = [];
  for (const { key } of await ledger.accounts()) drafts.push(await readDraft({ ledger, account: key }));
  const closed = servicesIn(asked, drafts).find((draft) => !isStill(actor, draft, clock.now()));
  if (closed)
    return {
      refused: "forbidden",
      text: `${actor.name} is no token of the service ${closed.account.service?.name ?? closed.account.key}, which has this fleet, or is to have it: it was made before that was there. Make another one beside the ledger: fleetkeeper token create.`,
    };
  if (actor.fleets === undefined) return undefined;
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
 * What no host of Pulumi's asks. A list of one text is read as that text where it stands in another one: whose it names would not
 * be seen here. A source that is no stack's is trusted with more: who has a fleet file may have any program run.
 */
function whyForged({ kind, method, args }: Asked): string | undefined {
  const isWithId = WITH_ID.includes(method);
  if (isWithId && typeof args[0] !== "string")
    return `${kind}.${method}: expected the id of a resource first`;
  const props = isWithId ? args.slice(1) : args;
  for (const each of props) {
    if (each === null) continue;
    if (typeof each !== "object" || Array.isArray(each)) return `${kind}.${method}: expected properties`;
    const { source = UNKNOWN } = each as Properties;
    if (
      kind === "wish" &&
      !isUnknown(source) &&
      !(typeof source === "string" && source.startsWith(sourceOf("")))
    )
      return "source: expected that of a stack's resource";
  }
  return undefined;
}

/** The accounts beside the agent's own in which a fleet of several services is, or is to be. */
function servicesIn(asked: Asked, drafts: readonly Draft[]): readonly Draft[] {
  const named = asked.kind === "wish" ? asked.args.map((each) => (each as Properties | null)?.services) : [];
  const sources = sourcesIn(asked);
  return drafts.filter(
    ({ account: { service }, fleets }) =>
      named.some(
        (names) => service && (names === "all" || (Array.isArray(names) && names.includes(service.name))),
      ) || [...fleets.values()].some(({ source, removed }) => !removed && sources.includes(source)),
  );
}

/** What each of its properties has under this key, as the resources read it, who take a list of one text for that text. */
function givenIn({ args }: Asked, key: string): readonly string[] {
  return args
    .filter((each): each is Properties => typeof each === "object" && each !== null)
    .flatMap((each) => [each[key], flattened(each)[key]])
    .flatMap((value) => (isUnknown(value ?? UNKNOWN) ? [] : [String(value)]));
}

function idIn({ args: [id] }: Asked): string | undefined {
  return typeof id === "string" ? id : undefined;
}

/** Of the fleets that it is about. */
function sourcesIn(asked: Asked): readonly string[] {
  const id = idIn(asked);
  if (asked.kind === "fleet" && id !== undefined) return [sourceOf(id)];
  return asked.kind === "fleet" || asked.kind === "wish" ? givenIn(asked, "source") : [];
}

/**
 * Of whom the call is: as it says itself, and as the rows have whatever it names. The ids come from a state, which whoever
 * asks can write. Undefined: of nobody.
 */
function namesIn(asked: Asked, drafts: readonly Draft[]): readonly (string | undefined)[] {
  const { kind } = asked;
  const id = idIn(asked);
  const given = (key: string): readonly string[] => givenIn(asked, key);
  if (kind === "fleet" || kind === "wish") {
    const sources = sourcesIn(asked);
    const rows = drafts.flatMap(({ fleets }) => [...fleets.values()]);
    const theirs = rows.filter(({ source }) => sources.includes(source));
    return [...given("name"), ...theirs.map(({ part, name }) => part?.of ?? name)];
  }
  const slots = [...(kind === "slot" && id !== undefined ? [id] : []), ...given("slot")];
  const resources = given("resource");
  const rows = drafts.flatMap((draft) => [...draft.slots.values()]);
  const theirs = rows.filter((row) => slots.includes(row.id) || resources.includes(row.resource ?? ""));
  const machines = [...given("adopt"), ...(kind === "machine" && id !== undefined ? [id] : [])];
  return [
    ...given("label"),
    ...theirs.map((row) => row.name),
    ...machines.map((each) => holderOf(each, drafts)),
  ];
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
