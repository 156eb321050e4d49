import type { Flag, Node } from "./tree.ts";

/** To be read by `source`, or to lie as `fleetkeeper.fish` in fish's folder of completions. */
export function fishScript(tree: readonly Node[]): string {
  const children = tree.flatMap((node) => node.children);
  const lines = tree.flatMap(({ path, children, flags, words }) => {
    const here = `complete -c fleetkeeper -n '__fleetkeeper_at "${path}"'`;
    return [
      ...children.map(({ name, description }) => `${here} -a ${name} -d ${quoted(description)}`),
      ...(words.length === 0 ? [] : [`${here} -a ${quoted(words.join(" "))}`]),
      ...flags.map((flag) => `${here} ${flagText(flag)}`),
    ];
  });
  return `# fish completion of fleetkeeper
function __fleetkeeper_at
    set -l at ""
    for word in (commandline -opc)[2..-1]
        contains -- "$at/$word" ${children.map(({ path }) => path).join(" ")}; and set at "$at/$word"
    end
    test "$at" = "$argv[1]"
end
complete -c fleetkeeper -f
${lines.join("\n")}`;
}

function flagText({ names, description, value }: Flag): string {
  const named = names.map((name) => (name.startsWith("--") ? `-l ${name.slice(2)}` : `-s ${name.slice(1)}`));
  const given =
    value === "none"
      ? ""
      : value === "path"
        ? " -rF"
        : value === "any"
          ? " -x"
          : ` -xa ${quoted(value.join(" "))}`;
  return `${named.join(" ")}${given} -d ${quoted(description)}`;
}

function quoted(text: string): string {
  return `'${text.replaceAll("\\", "\\\\").replaceAll("'", "\\'")}'`;
}
