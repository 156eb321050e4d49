import type { WireProfile } from "../../service/profile.ts";
import { placeholdersOf } from "../../service/template.ts";
import { same } from "./same.ts";

/** Names of the free parameters that the launch body sends; undefined where the profile does not say how to launch. */
export function parametersOf({ launch }: WireProfile): readonly string[] | undefined {
  return launch && placeholdersOf(launch.body).flatMap((name) => /^parameters\.(.+)$/.exec(name)?.[1] ?? []);
}

/** Those of the given parameters that the service never sees; none where it is not known what it sees. */
export function unusedOf(given: unknown, used: readonly string[] | undefined): readonly string[] {
  return used === undefined ? [] : Object.keys(recordOf(given) ?? {}).filter((name) => !used.includes(name));
}

/** True if the launch would be another one. Where it is not known what is sent, any parameter may be. */
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
