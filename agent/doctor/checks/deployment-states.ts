import { ACTIVE_STATES } from "../../../service/contract/contract.ts";
import type { Deployment } from "../../../service/contract/service.ts";
import { likelyState, NAMED, seemsHalted } from "../../propose/shape/state-words.ts";
import { yamlText } from "../../propose/shape/texts.ts";
import type { DoctorInput } from "../doctor-input.ts";
import { addition, isWritten, proposed, replacement } from "../remedy.ts";
import { type Check, finding, type Remedy } from "../report.ts";
import type { SeenRest } from "../survey.ts";

/** How many deployments are in each state, and which states are not known. */
export function stateChecks({ loaded, seen }: DoctorInput, { deployments }: SeenRest): readonly Check[] {
  const list = deployments.read?.value ?? [];
  if (list.length === 0) return [];
  const check = finding("deployments", "deployments.states");
  const byState = Map.groupBy(list, ({ status }) => status);
  const tally = [...byState]
    .sort(([, one], [, other]) => other.length - one.length)
    .slice(0, 20)
    .map(([state, those]) => `${those.length} ${state.slice(0, 60)}`)
    .join(", ");
  const unknown = [...byState].filter(
    ([state]) =>
      !NAMED.includes(state) && !seen?.service.isTerminal(state) && !seen?.service.isUnserving(state),
  );
  if (unknown.length === 0) return [check.ok(`By state: ${tally}. All of them are known.`)];
  const looksOver = ([, those]: [string, Deployment[]]): boolean =>
    those.every(({ stopReason, failureCode }) => stopReason ?? failureCode);
  const over = unknown.filter(looksOver).map(([state]) => state.slice(0, 60));
  const isHalted = (word: string): boolean => loaded.profile.profile === 2 && seemsHalted(word);
  const rest = unknown.filter((each) => !looksOver(each)).map(([state]) => state.slice(0, 60));
  const halted = rest.filter(isHalted);
  const open = rest.filter((word) => !isHalted(word));
  const says = (words: readonly string[]): string =>
    `By state: ${tally}. Neither the specification nor the profile knows ${quoted(words)}: deployments in it count as machines that cost money.`;
  const end = `Every ${quoted(over, " and ")} one has a stop_reason or a failure_code, so it looks like an end.`;
  return [
    ...(over.length > 0 ? [check.warning(`${says(over)} ${end}`, asTerminal(loaded, over))] : []),
    // Not proposed as terminal: if such a machine still runs, the agent would replace it again and again.
    ...(halted.length > 0 ? [check.warning(says(halted), asReplace(loaded, halted))] : []),
    ...(open.length > 0 ? [check.warning(says(open), asAlias(loaded, open))] : []),
  ];
}

function asTerminal(loaded: DoctorInput["loaded"], words: readonly string[]): Remedy {
  const terminal = [...(loaded.profile.deployments?.states.terminal ?? []), ...words].map(yamlText);
  const remedy = stateLine(loaded, "terminal", `[${terminal.join(", ")}]`);
  return proposed({ ...remedy, text: `${remedy.text}, if it ends a deployment for good` });
}

function asReplace(loaded: DoctorInput["loaded"], words: readonly string[]): Remedy {
  const replace = [...(loaded.profile.deployments?.states.replace ?? []), ...words].map(yamlText);
  const remedy = stateLine(loaded, "replace", `[${replace.join(", ")}]`);
  const text = `${remedy.text}, if a machine in it is billed and does not serve: it is stopped, and replaced. If it costs nothing any more, name it under terminal; if it serves, among the aliases`;
  return proposed({ ...remedy, text });
}

function asAlias(loaded: DoctorInput["loaded"], words: readonly string[]): Remedy {
  const known = Object.entries(loaded.profile.deployments?.states.aliases ?? {});
  const aliases = [
    ...known.map(([word, state]) => `${yamlText(word)}: ${state}`),
    ...words.map((word) => `${yamlText(word)}: <${ACTIVE_STATES.join(", ")}>`),
  ];
  const looks = words.map((word) => `${word}: by its look ${likelyState(word)}`).join("; ");
  const remedy = stateLine(loaded, "aliases", `{ ${aliases.join(", ")} }  # ${looks}`);
  return {
    ...remedy,
    text: `${remedy.text}, with the specification's word for it. Only if a machine in it has surely ended and costs nothing any more, name it under deployments.states.terminal instead: a running machine that counts as ended is replaced and billed on`,
  };
}

/** A key may stand in a file only once: where it is written, its line is replaced. */
function stateLine(
  loaded: DoctorInput["loaded"],
  key: "terminal" | "replace" | "aliases",
  value: string,
): Remedy {
  const path = ["deployments", "states", key];
  const line = `${key}: ${value}`;
  return isWritten(loaded, path)
    ? replacement(loaded, path, line)
    : addition(loaded, path.slice(0, -1), [line]);
}

function quoted(words: readonly string[], between = ", "): string {
  return words.map((word) => JSON.stringify(word)).join(between);
}
