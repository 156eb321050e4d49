import { yamlText } from "../../doctor/remedy.ts";
import { likelyState, NAMED } from "../../doctor/shape/state-words.ts";
import type { Prompts } from "../prompts.ts";
import type { Wire } from "./wire.ts";

const LATER = "later";
const ENDED = "terminal";

/** Asks what each word for a state means. Nothing is preselected that would end a machine or replace it. */
export async function askStates(
  words: readonly string[],
  ask: Prompts,
): Promise<NonNullable<Wire["states"]>> {
  const meant = new Map<string, string>();
  for (const word of words)
    meant.set(
      word,
      await ask.select(
        `What does the state ${JSON.stringify(word)} mean? By its look ${likelyState(word)}.`,
        [
          { value: LATER, name: "not known: it stays open in the profile" },
          ...NAMED.map((value) => ({ value, name: value })),
          {
            value: ENDED,
            name: "a further end: it costs nothing any more, and another machine takes its place",
          },
        ],
      ),
    );
  const of = (isMeant: (state: string) => boolean): readonly string[] =>
    words.filter((word) => isMeant(meant.get(word) ?? LATER));
  const aliases = of((state) => NAMED.includes(state)).map(
    (word) => `  ${yamlText(word)}: ${meant.get(word)}`,
  );
  const open = of((state) => state === LATER).map((word) => `  # ${yamlText(word)}: <${NAMED.join(", ")}>`);
  const ended = of((state) => state === ENDED);
  return {
    ...(aliases.length > 0
      ? { aliases: { lines: ["aliases:", ...aliases, ...open] } }
      : open.length > 0 && { aliases: { lines: ["aliases:", ...open], isOpen: true } }),
    ...(ended.length > 0 && { terminal: { lines: [`terminal: [${ended.map(yamlText).join(", ")}]`] } }),
  };
}
