/** A text as a cell of a Markdown table has it: on one line, and no part of it is markup. */
export function cell(text: string): string {
  return text
    .replaceAll(/\s+/g, " ")
    .replaceAll("|", "\\|")
    .replaceAll("<", "&lt;")
    .replaceAll("{", "&#123;");
}

/** A cell of code, where nothing but a bar has to be marked. */
export function code(text: string): string {
  return `\`${text.replaceAll("|", "\\|")}\``;
}
