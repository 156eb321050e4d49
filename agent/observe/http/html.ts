import { clean } from "../../fleet/text.ts";

/** Markup that may be sent as it is: made by {@link html} alone. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Content = Html | string | number | undefined | null | false | readonly Content[];

/** So much of one text is shown; the service may send megabytes. */
const MOST = 600;

/**
 * Markup with what is put into it escaped, controls and invisible characters taken out, and cut where it is
 * too long: there is no other way for a text to get onto the page, wherever it comes from.
 */
export function html(parts: TemplateStringsArray, ...contents: readonly Content[]): Html {
  return new Html(
    parts.map((part, index) => part + (index < contents.length ? render(contents[index]) : "")).join(""),
  );
}

function render(content: Content): string {
  if (content === undefined || content === null || content === false) return "";
  if (content instanceof Html) return content.text;
  if (typeof content === "object") return content.map(render).join("");
  return escapeText(clean(String(content), MOST));
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** For element content and for attributes in quotes. */
function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (found) => ESCAPES[found] ?? found);
}
