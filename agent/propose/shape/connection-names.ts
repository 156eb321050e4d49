import { FITS, formOfAll, isSshText, type OpenSshName } from "./connection-forms.ts";
import type { Leaf } from "./leaves.ts";

/** The words that a name may have, and one that it must have. */
const MEANS: Readonly<Record<OpenSshName, { readonly must: RegExp; readonly may: RegExp }>> = {
  host: {
    must: /^(host|hostname|ip|ipv4|address)$/,
    may: /^(ssh|public|external|host|hostname|name|ip|ipv4|address|addr)$/,
  },
  port: {
    must: /^port$/,
    may: /^(ssh|public|external|port)$/,
  },
  user: {
    must: /^(user|username)$/,
    may: /^(ssh|user|username|name)$/,
  },
};

/** Where a connection detail stands. `form`: it is the part of the text there that its name stands for. */
export interface FoundDetail {
  readonly leaf: Leaf;
  readonly form?: string;
}

/**
 * A name for each place that says how to reach a machine. What OpenSSH needs is called as the commands read it,
 * whatever the service calls it; the place that speaks of SSH goes first, and a text that holds several of them
 * gives what stands nowhere alone. The others keep their own names.
 */
export function connectionNames(found: readonly Leaf[]): ReadonlyMap<string, FoundDetail> {
  const names = new Map<string, FoundDetail>();
  for (const [name, { must, may }] of Object.entries(MEANS)) {
    const means = found.filter(
      (leaf) =>
        leaf.names.some((word) => must.test(word)) &&
        leaf.names.every((word) => may.test(word)) &&
        leaf.values.every(FITS[name as OpenSshName]),
    );
    const best = means.find(speaksOfSsh) ?? means[0];
    if (best !== undefined) names.set(name, { leaf: best });
  }
  const named = new Set([...names.values()].map(({ leaf }) => leaf));
  for (const leaf of found) {
    if (named.has(leaf)) continue;
    const text = speaksOfSsh(leaf) || leaf.values.every(isSshText) ? formOfAll(leaf.values) : undefined;
    const missing = text?.names.filter((name) => !names.has(name)) ?? [];
    for (const name of missing) names.set(name, { leaf, form: text?.form ?? "" });
    if (missing.length === 0) names.set(freeName(leaf, names), { leaf });
  }
  return names;
}

/** Its own name, with the names around it if another place has that, with a number if that has been taken, too. */
function freeName({ names: own, around }: Leaf, taken: ReadonlyMap<string, unknown>): string {
  const longest = [...around, ...own].join("_");
  const free = [own.join("_"), longest].find((name) => !taken.has(name));
  if (free !== undefined) return free;
  let number = 2;
  while (taken.has(`${longest}_${number}`)) number += 1;
  return `${longest}_${number}`;
}

function speaksOfSsh({ names, around }: Leaf): boolean {
  return [...names, ...around].includes("ssh");
}
