import { isDeepStrictEqual } from "node:util";

/** Equal for Pulumi, to which null and absent are the same, and which keeps no order of keys. */
export function same(one: unknown, other: unknown): boolean {
  return isDeepStrictEqual(one ?? null, other ?? null);
}
