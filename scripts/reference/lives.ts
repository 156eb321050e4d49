import { CLAIM_MOVES, FLEET_MOVES, INTENT_MOVES } from "../../ledger/lifecycle.ts";
import { cell, code } from "./table.ts";

interface Move {
  readonly from: readonly string[];
  readonly to: readonly string[];
  readonly by: string;
}
type Moves = Readonly<Record<string, Move>>;

/** docs/how/lives.md: the three tables of ledger/lifecycle.ts, drawn. */
export function livesPage(): string {
  return `# The lives of a launch, a machine and a fleet

Made from the tables of \`ledger/lifecycle.ts\` by \`npm run docs\`. The ledger refuses any other change: a decision that makes
one stores nothing. [The protocol](protocol.md) says why each move is as it is. The words are those of the
[glossary](glossary.md).

## A launch

The state of an intent. \`new\`: it is not written down yet.

${diagram(INTENT_MOVES)}
## A machine

Whose a machine is, by its claim. \`none\`: nobody here answers for it.

${diagram(CLAIM_MOVES)}
## A fleet

\`unborn\`: what runs already is not matched yet, so it launches nothing. \`removed\`: it drains, and its name stays for what it
cost. An order, a deadline and a spent total change none of this: they decide from moment to moment whether a fleet is
kept, paused or drained.

${diagram(FLEET_MOVES)}
${table(FLEET_MOVES)}`;
}

/** One arrow for all moves from one state to another. A move that changes nothing but an owner is none. */
function diagram(moves: Moves): string {
  const arrows = new Map<string, string[]>();
  for (const [name, { from, to }] of Object.entries(moves))
    for (const one of from)
      for (const other of to)
        if (one !== other)
          arrows.set(`${one} --> ${other}`, [...(arrows.get(`${one} --> ${other}`) ?? []), name]);
  const lines = [...arrows].map(([arrow, names]) => `  ${arrow}: ${[...new Set(names)].join(", ")}`);
  return ["```mermaid", "stateDiagram-v2", ...lines, "```", ""].join("\n");
}

function table(moves: Moves): string {
  const rows = Object.entries(moves).map(
    ([name, { from, to, by }]) =>
      `| ${code(name)} | ${cell(from.join(", "))} | ${cell(to.join(", "))} | ${cell(by)} |`,
  );
  return ["| move | from | to | made by |", "|---|---|---|---|", ...rows, ""].join("\n");
}
