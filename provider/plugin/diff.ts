import { type Difference, type Properties, same } from "../runtime/inputs/resource-kind.ts";
import { messages } from "./sdk.ts";

const { DiffResponse, PropertyDiff } = messages;
const { Kind } = PropertyDiff;

/** The change of one property. `path` as Pulumi writes it: `candidates[0].offer`. */
interface Change {
  readonly path: string;
  readonly kind: "ADD" | "UPDATE" | "DELETE";
}

/**
 * What an engine shows of a difference. A change that is none of the inputs, such as a machine that ended, has
 * the property that says so.
 */
export function diffResponse(
  { changes, replaces, deleteBeforeReplace }: Difference,
  olds: Properties,
  news: Properties,
): InstanceType<typeof DiffResponse> {
  const response = new DiffResponse()
    .setChanges(changes ? DiffResponse.DiffChanges.DIFF_SOME : DiffResponse.DiffChanges.DIFF_NONE)
    .setReplacesList([...replaces])
    .setDeletebeforereplace(deleteBeforeReplace === true);
  if (!changes) return response;
  const detailed = response.getDetaileddiffMap();
  const tops = new Set<string>();
  const put = (path: string, kind: Change["kind"], replace: boolean, input: boolean): void => {
    const of = replace ? (`${kind}_REPLACE` as const) : kind;
    tops.add(path.split(/[.[]/)[0] ?? path);
    detailed.set(path, new PropertyDiff().setKind(Kind[of]).setInputdiff(input));
  };
  for (const key of new Set([...Object.keys(olds), ...Object.keys(news)]))
    for (const { path, kind } of changesOf(olds[key], news[key], key))
      put(path, kind, replaces.includes(key), true);
  for (const key of replaces)
    if (!(key in olds) && !(key in news)) put(key, "UPDATE", true, false);
    else if (same(olds[key], news[key])) put(key, "UPDATE", true, true);
  return response.setDiffsList([...tops]).setHasdetaileddiff(tops.size > 0);
}

function changesOf(old: unknown, now: unknown, path: string): readonly Change[] {
  if (same(old, now)) return [];
  if (old === undefined || old === null) return [{ path, kind: "ADD" }];
  if (now === undefined || now === null) return [{ path, kind: "DELETE" }];
  if (Array.isArray(old) && Array.isArray(now))
    return Array.from({ length: Math.max(old.length, now.length) }).flatMap((_, index) =>
      changesOf(old[index], now[index], `${path}[${index}]`),
    );
  if (isRecord(old) && isRecord(now))
    return [...new Set([...Object.keys(old), ...Object.keys(now)])].flatMap((key) =>
      changesOf(old[key], now[key], path + (/^\w+$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`)),
    );
  return [{ path, kind: "UPDATE" }];
}

function isRecord(value: unknown): value is Properties {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
