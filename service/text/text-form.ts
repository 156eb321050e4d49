/**
 * The form of a text that holds several values, as a template has it: `ssh://{user}@{host}:{port}`. Each
 * placeholder stands for what is there up to the text that follows it.
 */

const PLACEHOLDER = /\{([A-Za-z_][\w.-]*)\}/;

/**
 * Makes the reader of what a placeholder stands for. It gives undefined for a text of another form, and for one
 * in which nothing stands there.
 */
export function partReader(form: string, name: string): (text: string) => string | undefined {
  const pieces = form.split(PLACEHOLDER);
  const [start = "", ...others] = pieces;
  return (text) => {
    if (!text.startsWith(start)) return undefined;
    let at = start.length;
    let found: string | undefined;
    for (let index = 0; index < others.length; index += 2) {
      const follows = others[index + 1] ?? "";
      const isLast = index + 2 >= others.length;
      const end = isLast ? text.length - follows.length : text.indexOf(follows, at);
      if (end <= at || (isLast && !text.endsWith(follows))) return undefined;
      if (others[index] === name) found = text.slice(at, end);
      at = end + follows.length;
    }
    return found;
  };
}

/** Why no text can be read by this form; undefined if one can. `name`: the placeholder that is asked for. */
export function formProblem(form: string, name: string): string | undefined {
  const pieces = form.split(PLACEHOLDER);
  const names = pieces.filter((_, index) => index % 2 === 1);
  if (!names.includes(name))
    return `has no {${name}}: the detail is the part that its own name stands for, as in "ssh://{user}@{host}:{port}"`;
  const twice = names.find((each, index) => names.indexOf(each) !== index);
  if (twice !== undefined) return `has {${twice}} twice: give one of them another name`;
  const isAdjacent = pieces.some(
    (text, index) => index % 2 === 0 && text === "" && index > 0 && index < pieces.length - 1,
  );
  return isAdjacent
    ? "has two placeholders with nothing between them: nobody can say where the one ends"
    : undefined;
}
