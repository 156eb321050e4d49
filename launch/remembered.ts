import type { Draft } from "../ledger/draft.ts";
import type { DeploymentRow } from "../ledger/rows.ts";
import type { Intents } from "../ledger/tables.ts";

/** What is remembered of some machines, and the launches that it rests on. */
interface Known<T> {
  readonly value: T;
  readonly intents: Intents;
  readonly version: number;
}

/**
 * `of`, found out once for the same machines (one array, as of {@link livingOf}) as long as no launch changes.
 * It sees nothing but the machines' rows and those of launches, so nothing else can change what follows.
 */
export function rememberedOf<T>(
  of: (launches: Pick<Draft, "intents">, machines: readonly DeploymentRow[]) => T,
): (draft: Pick<Draft, "intents">, machines: readonly DeploymentRow[]) => T {
  const known = new WeakMap<readonly DeploymentRow[], Known<T>>();
  return ({ intents }, machines) => {
    const before = known.get(machines);
    if (before && before.intents === intents && before.version === intents.version) return before.value;
    const value = of({ intents }, machines);
    known.set(machines, { value, intents, version: intents.version });
    return value;
  };
}
