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
    const own = leaf.names.join("_");
    names.set(names.has(own) ? [...leaf.around, ...leaf.names].join("_") : own, leaf);
  }
  return names;
}

function speaksOfSsh({ names, around }: Leaf): boolean {
  return [...names, ...around].includes("ssh");
}
