import type { Draft } from "../../ledger/draft.ts";
import type { DeploymentRow } from "../../ledger/rows.ts";
import { createMemory } from "../../service/same/memory.ts";

/**
 * `of`, found out once for the same machines (one array, as of {@link livingOf}) as long as no launch changes.
 * It sees nothing but the machines' rows and those of launches, so nothing else can change what follows.
 */
export function onceForMachines<T>(
  of: (launches: Pick<Draft, "intents">, machines: readonly DeploymentRow[]) => T,
): (draft: Pick<Draft, "intents">, machines: readonly DeploymentRow[]) => T {
  const memory = createMemory<readonly DeploymentRow[], T>();
  return ({ intents }, machines) =>
    memory.of(machines, [intents, intents.version], () => of({ intents }, machines));
}
