import { ACTIVE_STATES, TERMINAL_STATES } from "../../../service/contract.ts";
import type { Deployment } from "../../../service/service.ts";
import type { SeenRest } from "../look.ts";
import type { Patient } from "../patient.ts";
import { addition, isWritten, replacement, yamlText } from "../remedy.ts";
import type { Check } from "../report.ts";

/** How many there are in each state, and the states that nobody knows. */
export function stateChecks({ loaded, seen }: Patient, { deployments }: SeenRest): readonly Check[] {
  const list = deployments?.value ?? [];
  if (list.length === 0) return [];
  const base = { id: "deployments.states", section: "deployments" } as const;
  const byState = new Map<string, Deployment[]>();
  for (const each of list) byState.set(each.status, [...(byState.get(each.status) ?? []), each]);
  const tally = [...byState]
    .sort(([, one], [, other]) => other.length - one.length)
    .slice(0, 20)
    .map(([state, those]) => `${those.length} ${state.slice(0, 60)}`)
    .join(", ");
  const named: readonly string[] = [...ACTIVE_STATES, ...TERMINAL_STATES];
  const unknown = [...byState].filter(
    ([state]) => !named.includes(state) && seen?.service.isTerminal(state) !== true,
  );
  if (unknown.length === 0)
    return [{ ...base, level: "ok", says: `By state: ${tally}. All of them are known.` }];
  const words = unknown.map(([state]) => state.slice(0, 60));
  const ended = unknown.filter(([, those]) =>
    those.every(({ stopReason, failureCode }) => stopReason ?? failureCode),
  );
  const terminal = [...(loaded.profile.deployments?.states.terminal ?? []), ...words]
    .map(yamlText)
    .join(", ");
  const hint =
    ended.length > 0
      ? `Every ${ended.map(([state]) => JSON.stringify(state.slice(0, 60))).join(" and ")} one has a stop_reason or a failure_code, so it looks like an end. `
      : "";
  const path = ["deployments", "states", "terminal"];
  const remedy = isWritten(loaded, path)
    ? replacement(loaded, path, `terminal: [${terminal}]`)
    : addition(loaded, path.slice(0, -1), [`terminal: [${terminal}]`]);
  return [
    {
      ...base,
      level: "warning",
      says: `By state: ${tally}. Neither the specification nor the profile knows ${words.map((word) => JSON.stringify(word)).join(", ")}: deployments in it count as machines that cost money. ${hint}`.trim(),
      remedy: {
        ...remedy,
        text: `${remedy.text}, if it ends a deployment (if it is one of the specification's states by another name, put it under deployments.states.aliases instead)`,
        proposed: true,
      },
    },
  ];
}
