import type { Node } from "./tree.ts";

/** To be read by `source`, or to lie as `_fleetkeeper` in a folder of the `fpath`. */
export function zshScript(tree: readonly Node[]): string {
  const children = tree.flatMap((node) => node.children);
  const flags = tree.flatMap(({ path, flags }) => flags.map((flag) => ({ path, ...flag })));
  const after = flags.flatMap(({ path, names, value }) => {
    if (value === "none") return [];
    const found = value === "path" ? "_files" : value === "any" ? ":" : `compadd -- ${value.join(" ")}`;
    return [`    ${names.map((name) => `"${path} ${name}"`).join("|")}) ${found}; return ;;`];
  });
  const here = tree.map(({ path, children, flags, words }) => {
    const named = [...children, ...words.map((name) => ({ name, description: "" }))];
    const options = flags.flatMap(({ names, description }) => names.map((name) => ({ name, description })));
    return `    "${path}")
      commands=(${named.map(entry).join(" ")})
      options=(${options.map(entry).join(" ")}) ;;`;
  });
  return `#compdef fleetkeeper
_fleetkeeper() {
  local at="" i
  local -a commands options
  for ((i = 2; i < CURRENT; i++)); do
    case "$at/\${words[i]}" in
    ${children.map(({ path }) => `"${path}"`).join("|")}) at="$at/\${words[i]}" ;;
    esac
  done
  case "$at \${words[CURRENT-1]}" in
${after.join("\n")}
  esac
  case "$at" in
${here.join("\n")}
  esac
  _describe -t commands command commands
  _describe -o -t options option options
}
if [ "$funcstack[1]" = "_fleetkeeper" ]; then _fleetkeeper "$@"; else compdef _fleetkeeper fleetkeeper; fi`;
}

function entry({ name, description }: { readonly name: string; readonly description: string }): string {
  const text = description === "" ? name : `${name}:${description.replaceAll("\\", "")}`;
  return `'${text.replaceAll("'", "'\\''")}'`;
}
