import type { Draft } from "../../ledger/draft.ts";
import { ownerParts } from "../../ledger/owner.ts";
import type { Owner } from "../../ledger/rows.ts";
import { serviceOf } from "../fleet/phase/part.ts";
import type { DeploymentFacts } from "../json/deployments.ts";
import type { Whose } from "../json/parts.ts";

export function whoOwns(draft: Draft, owner: Owner): Whose {
  const name = calledName(draft, owner);
  return ownerParts(owner).kind === "fleet" ? { fleet: name } : { deployment: name };
}

/** The flag of `fleetkeeper adopt` for this owner. A slot goes by its id: several may have its name. */
export function adopterFlag(owner: Owner): string {
  const { kind, name } = ownerParts(owner);
  return `${kind === "fleet" ? "--fleet" : "--deployment"} ${name}`;
}

/** What people call an owner, without its kind: a slot by its resource's present name, else by its id. */
export function calledName(draft: Pick<Draft, "slots">, owner: Owner): string {
  const { kind, name } = ownerParts(owner);
  return kind === "slot" ? (draft.slots.get(name)?.name ?? name) : name;
}

/** Its name in a message: `training on south` for a part of a fleet over several services, whose name is for commands. */
export function spokenName(draft: Pick<Draft, "slots" | "fleets">, owner: Owner): string {
  const { kind, name } = ownerParts(owner);
  const fleet = kind === "fleet" ? draft.fleets.get(name) : undefined;
  return fleet?.part ? `${fleet.part.of} on ${serviceOf(fleet)}` : calledName(draft, owner);
}

/** `fleet training`, `deployment web`. */
export function nameOf(whose: Whose): string {
  return "fleet" in whose ? `fleet ${whose.fleet}` : `deployment ${whose.deployment}`;
}

/** Whose a machine is, and how surely: the words for a table. */
export function whoseText({ claim, owner }: Pick<DeploymentFacts, "claim" | "owner">): string {
  if (claim === null) return "nobody's";
  if (claim === "foreign" || owner === null) return "disowned";
  const name = nameOf(owner);
  return claim === "certain" ? name : `${name} (${claim})`;
}

/** What these fleets, one at least, do about machines that nobody has to judge yet. */
export function matchingText(fleets: readonly string[]): string {
  return `${fleets.join(", ")} ${fleets.length === 1 ? "takes" : "take"} what fits once two lists agree, in about a minute`;
}

/** What to do about a machine whose slot no stack's state holds. `owner`: as in `deployment web`. */
export function leftBehindText(id: string, owner: string): string {
  return (
    `${id} belongs to ${owner}, which its stack's state does not hold any more. To keep it: adopt: "${id}" in the program, and ` +
    `pulumi up. To end it: fleetkeeper deployments stop ${id}`
  );
}

/** What to do about a machine whose id shows another offer and another size than before. */
export function reusedText(id: string, owner: string): string {
  return `${id} was of ${owner}, and shows another offer and size now: it counts there until you say whose it is`;
}
