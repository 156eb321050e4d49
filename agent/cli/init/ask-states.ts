import { likelyState, NAMED } from "../../propose/shape/state-words.ts";
import { yamlText } from "../../propose/shape/texts.ts";
import type { Wire, WireEntry } from "../../propose/wire.ts";
import type { Prompts } from "./prompts.ts";

const LATER = "later";

/** What a word may be that is no state of the specification. */
const FURTHER = {
  terminal: "terminal: a further end. It costs nothing any more, and another machine takes its place",
  replace: "replace: it bills and does not serve. It is stopped, and another machine takes its place",
} as const;

/** Asks what each word for a state means. Nothing is preselected that would end a machine or replace it. */
export async function askStates(
  words: readonly string[],
  parts: readonly (keyof typeof FURTHER)[],
  ask: Prompts,
): Promise<NonNullable<Wire["deployments.states"]>> {
  const choices = [
    { value: LATER, name: "not known: it stays open in the profile" },
    ...NAMED.map((value) => ({ value, name: value })),
    ...parts.map((value) => ({ value, name: FURTHER[value] })),
  ];
  const meant = new Map<string, string>();
  for (const word of words) {
    const question = `What does the state ${JSON.stringify(word)} mean? By its look ${likelyState(word)}.`;
    meant.set(word, await ask.select<string>(question, choices));
  }
  const of = (isMeant: (state: string) => boolean): readonly string[] =>
    words.filter((word) => isMeant(meant.get(word) ?? LATER));
  const aliases = of((state) => NAMED.includes(state)).map(
    (word) => `  ${yamlText(word)}: ${meant.get(word)}`,
  );
  const open = of((state) => state === LATER).map((word) => `  # ${yamlText(word)}: <${NAMED.join(", ")}>`);
  const entries: Record<string, WireEntry> = {};
  if (aliases.length > 0) entries.aliases = { lines: ["aliases:", ...aliases, ...open] };
  else if (open.length > 0) entries.aliases = { lines: ["aliases:", ...open], isOpen: true };
  for (const part of parts) {
    const named = of((state) => state === part).map(yamlText);
    if (named.length > 0) entries[part] = { lines: [`${part}: [${named.join(", ")}]`] };
  }
  return entries;
}
