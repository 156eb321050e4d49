import { createHash } from "node:crypto";
import type { Ledger } from "../ledger/ledger.ts";
import type { Json } from "../service/contract/service.ts";
import type { WireProfile } from "../service/profile/profile.ts";
import type { LoadedProfile } from "../service/profile/profile-file.ts";
import { canonicalJson } from "../service/text/json.ts";

/** What each statement of a profile said, as a digest, by its place: `deployments.states`. */
export type Statements = Readonly<Record<string, string>>;

/**
 * A profile that ships changes with an upgrade, and nobody here has edited a file. What it says now that it did not say
 * when this account was last opened is written down, before anything is done by it. Undefined: nothing, or it is no
 * profile that ships, or the first look at it.
 */
export async function changeOfShipped(
  ledger: Ledger,
  account: string,
  { shipped, profile }: LoadedProfile,
  wall: number,
): Promise<string | undefined> {
  if (shipped === undefined) return undefined;
  const said = saidBy(profile);
  const now: Statements = Object.fromEntries(Object.entries(said).map(([at, value]) => [at, digest(value)]));
  return ledger.decide(account, (draft) => {
    const before = draft.account.shipped?.[shipped];
    const places = [...new Set([...Object.keys(before ?? {}), ...Object.keys(now)])].sort();
    const changed = places.filter((at) => before?.[at] !== now[at]);
    if (changed.length === 0) return undefined;
    draft.putAccount({ ...draft.account, shipped: { ...draft.account.shipped, [shipped]: now } });
    if (before === undefined) return undefined;
    const each = changed.map((at) =>
      at in said ? `${at} is ${canonicalJson(said[at] as Json)}` : `${at} is gone`,
    );
    const text =
      `the profile ${shipped}, which ships with fleetkeeper, says something else than before: ${each.join("; ")}. ` +
      "Its first launch goes alone, as under any new profile";
    draft.note({ at: wall, kind: "profileChanged", owner: null, deployment: null, text });
    return `${text.replace("the", "The")}.`;
  });
}

function saidBy({ name: _name, ...parts }: WireProfile): Readonly<Record<string, Json>> {
  const said: Record<string, Json> = {};
  for (const [part, value] of Object.entries(parts))
    if (typeof value !== "object" || Array.isArray(value)) said[part] = value as Json;
    else for (const [key, inner] of Object.entries(value)) said[`${part}.${key}`] = inner as Json;
  return said;
}

function digest(value: Json): string {
  return createHash("sha256").update(canonicalJson(value)).digest("hex").slice(0, 12);
}
