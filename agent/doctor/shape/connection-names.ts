import type { Leaf } from "./leaves.ts";

/** The names that `hosts --ssh-config` and the examples read. */
type OpenSshName = "host" | "port" | "user";

/** The words that a name may have, one that it must have, and the values that such a place may show. */
const MEANS: Readonly<
  Record<
    OpenSshName,
    { readonly must: RegExp; readonly may: RegExp; readonly fits: (value: unknown) => boolean }
  >
> = {
  host: {
    must: /^(host|hostname|ip|ipv4|address)$/,
    may: /^(ssh|public|external|host|hostname|name|ip|ipv4|address|addr)$/,
    fits: (value) => typeof value === "string" && /^[\w.-]+$/.test(value),
  },
  port: {
    must: /^port$/,
    may: /^(ssh|public|external|port)$/,
    fits: (value) => /^\d{1,5}$/.test(String(value)),
  },
  user: {
    must: /^(user|username)$/,
    may: /^(ssh|user|username|name)$/,
    fits: (value) => typeof value === "string" && /^[\w.-]+$/.test(value),
  },
};

/**
 * A name for each place that says how to reach a machine. What OpenSSH needs is called as the commands read it,
 * whatever the service calls it; the place that speaks of SSH goes first. The others keep their own names.
 */
export function connectionNames(found: readonly Leaf[]): ReadonlyMap<string, Leaf> {
  const names = new Map<string, Leaf>();
  for (const [name, { must, may, fits }] of Object.entries(MEANS)) {
    const means = found.filter(
      (leaf) =>
        leaf.names.some((word) => must.test(word)) &&
        leaf.names.every((word) => may.test(word)) &&
        leaf.values.every(fits),
    );
    const best = means.find(speaksOfSsh) ?? means[0];
    if (best !== undefined) names.set(name, best);
  }
  const named = new Set(names.values());
  for (const leaf of found) {
    if (named.has(leaf)) continue;
    names.set(freeName(leaf, names), leaf);
  }
  return names;
}

/** Its own name, with the names around it if another place has that, with a number if that has been taken, too. */
function freeName({ names: own, around }: Leaf, taken: ReadonlyMap<string, Leaf>): string {
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
