import { read } from "./tool.ts";

export interface Instruction {
  readonly keyword: string;
  readonly rest: string;
}

/** The stages of the Dockerfile, each from its FROM on. */
export function stages(): readonly (readonly Instruction[])[] {
  const lines = read("Dockerfile")
    .replaceAll(/^\s*#.*\n/gm, "")
    .replaceAll(/\\\n/g, " ")
    .split("\n");
  const all: Instruction[][] = [];
  for (const line of lines) {
    const [, keyword = "", rest = ""] = /^([A-Z]+)\s+(.*)$/.exec(line) ?? [];
    if (keyword === "FROM") all.push([]);
    if (keyword !== "") all.at(-1)?.push({ keyword, rest });
  }
  return all;
}

/** The RUN instructions of a stage, by its name. */
export function stepsOf(name: string): readonly string[] {
  const stage = stages().find(([from]) => from?.rest.endsWith(` AS ${name}`)) ?? [];
  return stage.filter(({ keyword }) => keyword === "RUN").map(({ rest }) => rest);
}
