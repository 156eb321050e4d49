import type { WireProfile } from "../../../service/profile/profile.ts";
import { parameterIn, placeholdersOf } from "../../../service/text/template.ts";
import { same } from "./resource-kind.ts";

/** Names of the free parameters in the launch body. Undefined if the profile has no launch part. */
export function parametersOf({ launch }: WireProfile): readonly string[] | undefined {
  return launch && placeholdersOf(launch.body).flatMap((name) => parameterIn(name) ?? []);
}

/** The given parameters that the service never sees. Empty if the launch body is not known. */
export function unusedOf(given: unknown, used: readonly string[] | undefined): readonly string[] {
  return used === undefined ? [] : Object.keys(recordOf(given) ?? {}).filter((name) => !used.includes(name));
}

/** True if the launch would change. If the launch body is not known, any parameter counts. */
export function sendsOther(olds: unknown, news: unknown, used: readonly string[] | undefined): boolean {
  const [before, after] = [recordOf(olds), recordOf(news)];
  if (used === undefined || before === undefined || after === undefined) return !same(olds, news);
  return used.some((name) => !same(before[name], after[name]));
}

/** Undefined: not known yet, as in a preview. */
function recordOf(given: unknown): Readonly<Record<string, unknown>> | undefined {
  if (given === undefined || given === null) return {};
  return typeof given === "object" && !Array.isArray(given)
    ? (given as Readonly<Record<string, unknown>>)
    : undefined;
}
