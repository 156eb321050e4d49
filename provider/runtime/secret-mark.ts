import type { Properties, ResourceKind } from "./resource-kind.ts";

/** The mark of a secret between an engine and a provider. */
const SECRET = { "4dabf18193072939515e22adb298388d": "1b47061264138c4ac30d75fd1eb44270" };

/** Marks what the engine must encrypt. An empty value is unmarked: else its neighbours become secret. */
export function sealed({ secrets = [] }: Pick<ResourceKind, "secrets">, outs: Properties): Properties {
  const hidden = secrets.filter((key) => Object.keys(outs[key] ?? {}).length > 0);
  return { ...outs, ...Object.fromEntries(hidden.map((key) => [key, { ...SECRET, value: outs[key] }])) };
}
