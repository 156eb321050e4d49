import { readFileSync } from "node:fs";
import { join } from "node:path";

/** A bug that is put into the product on purpose, to check that the proof finds it. */
export interface Plant {
  readonly name: string;
  /** The rule of the design that it breaks. */
  readonly rule: string;
  readonly edits: readonly Edit[];
  /** Scenarios of stories/ that must catch it. Without any, random seeds must. */
  readonly directed?: readonly string[] | undefined;
  /** The rule of the oracle that must catch it. Without one, any rule may. */
  readonly oracle?: string | undefined;
  /** The explorer's case in which it must lead to a bad state, too. */
  readonly explored?: string | undefined;
  /** No story and no seed reaches the place where it shows. */
  readonly onlyExplored?: boolean;
  /** The ledger's unique index would stop it first, so the explorer leaves the index out. */
  readonly withoutIndex?: boolean;
}

interface Edit {
  readonly file: string;
  /** Must stand in the file exactly once. */
  readonly text: string;
  readonly instead: string;
}

const BUG = new RegExp(
  [
    /^(?<name>[a-z-]+): (?<rule>.+)\n/,
    /(?: {2}in the (?:story|stories) (?<stories>.+?)(?: by (?<oracle>.+))?\n)?/,
    /(?: {2}in all states of (?<explored>.+?)(?<only>, and nowhere else)?(?<bare>, without the unique index)?\n)?/,
    /(?<edits>(?:[\w/-]+\.ts\n(?:(?:-.*\n)+(?:\+.*\n)+)+)+)$/,
  ]
    .map(({ source }) => source)
    .join(""),
);

function plantOf(paragraph: string): Plant {
  const { groups } = BUG.exec(`${paragraph}\n`) ?? {};
  if (!groups)
    throw new Error(`proof/plants.diff: its head says how a bug is written, unlike:\n${paragraph}`);
  const { name = "", rule = "", stories, oracle, explored, only, bare, edits = "" } = groups;
  return {
    name,
    rule,
    directed: stories?.split(" "),
    oracle,
    explored,
    onlyExplored: only !== undefined,
    withoutIndex: bare !== undefined,
    edits: edits.split(/^(?=\w)/m).flatMap(editsOf),
  };
}

function editsOf(section: string): readonly Edit[] {
  const file = section.slice(0, section.indexOf("\n"));
  const quoted = (lines = ""): string => lines.slice(0, -1).replace(/^[-+]/gm, "");
  return [...section.matchAll(/((?:^-.*\n)+)((?:^\+.*\n)+)/gm)].map(([, text, instead]) => ({
    file,
    text: quoted(text),
    instead: quoted(instead),
  }));
}

export const PLANTS: readonly Plant[] = readFileSync(join(import.meta.dirname, "plants.diff"), "utf8")
  .replace(/^#.*\n/gm, "")
  .trim()
  .split(/\n\n+/)
  .map(plantOf);
