import { isDeepStrictEqual } from "node:util";

/** Equal for Pulumi: it writes no difference between null and absent, and keeps no order of keys. */
export function same(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(one ?? null, other ?? null);
}
