import type { Node } from "./tree.ts";

/** For any bash from 3.2 on, that of macOS. It needs no other package, and runs nothing of what is typed. */
export function bashScript(tree: readonly Node[]): string {
  const children = tree.flatMap((node) => node.children);
  const flags = tree.flatMap(({ path, flags }) => flags.map((flag) => ({ path, ...flag })));
  const after = flags.flatMap(({ path, names, value }) => {
    if (value === "none") return [];
    const found =
      value === "path" ? "paths" : `words ${JSON.stringify(value === "any" ? "" : value.join(" "))}`;
    return [`    ${names.map((name) => `"${path} ${name}"`).join("|")}) _fleetkeeper_${found}; return ;;`];
  });
  const here = tree.map(({ path, children, flags, words }) => {
    const all = [...children.map(({ name }) => name), ...words, ...flags.flatMap(({ names }) => names)];
    return `    "${path}") _fleetkeeper_words "${all.join(" ")}" ;;`;
  });
  return `# bash completion of fleetkeeper
_fleetkeeper_words() {
  local IFS=$' \\n'
  COMPREPLY=($(compgen -W "$1" -- "$cur"))
}
_fleetkeeper_paths() {
  local IFS=$'\\n'
  compopt -o filenames 2>/dev/null
  COMPREPLY=($(compgen -f -- "$cur"))
}
_fleetkeeper() {
  local cur=\${COMP_WORDS[COMP_CWORD]} before=\${COMP_WORDS[COMP_CWORD-1]} at="" i
  if [ "$cur" = "=" ]; then cur=""
  elif [ "$before" = "=" ]; then before=\${COMP_WORDS[COMP_CWORD-2]}
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$at/\${COMP_WORDS[i]}" in
    ${children.map(({ path }) => `"${path}"`).join("|")}) at="$at/\${COMP_WORDS[i]}" ;;
    esac
  done
  case "$at $before" in
${after.join("\n")}
  esac
  case "$at" in
${here.join("\n")}
  esac
}
complete -F _fleetkeeper fleetkeeper`;
}
