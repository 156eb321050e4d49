/** What a person reads, without markup. */
export function read(markup: string): string {
  return (
    markup
      .replace(/<(script|style)[\s\S]*?<\/\1>/g, "")
      // Within a sentence.
      .replace(/<\/?a\b[^>]*>/g, "")
      .replace(/<[^>]*>/g, " ")
      .replace(/&#39;/g, "'")
      .replace(/\s+/g, " ")
  );
}

/** What a section says, by its heading's id; empty if there is none. */
export function section(markup: string, id: string): string {
  const at = markup.indexOf(`aria-labelledby="${id}"`);
  return at === -1 ? "" : read(markup.slice(at, markup.indexOf("</section>", at)));
}
