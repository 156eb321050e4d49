import { clean } from "../../../fleet/text/text.ts";

/** Markup that is safe to send. Made by {@link html}, and from numbers by chart.ts. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

export type Content = Html | string | number | undefined | null | false | readonly Content[];

/** The most characters of one text: the service may send megabytes. */
export const LONGEST_TEXT = 600;

/**
 * Makes markup. Each text in it is escaped, cleaned of control and invisible characters, and cut if it is too
 * long. Every text gets onto the page through here, wherever it comes from.
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
  return escapeText(clean(String(content), LONGEST_TEXT));
}

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Good for element content and for quoted attributes. */
function escapeText(text: string): string {
  return text.replace(/[&<>"']/g, (found) => ESCAPES[found] ?? found);
}

/** The choices of a select. */
export function options(
  choices: readonly (readonly [value: string, text: string])[],
  chosen: string,
): readonly Html[] {
  return choices.map(
    ([value, text]) => html`<option value="${value}"${value === chosen && html` selected`}>${text}</option>`,
  );
}

export interface Column<Row> {
  readonly title: string;
  /** Aligned to the right. */
  readonly number?: boolean;
  readonly wide?: boolean;
  readonly cell: (row: Row) => Content;
}

/**
 * A table whose first column names its rows. On a narrow screen, style alone turns each row into a small
 * card. The roles are written out: a table that is laid out as blocks would lose them.
 */
export function table<Row>(caption: string, rows: readonly Row[], columns: readonly Column<Row>[]): Html {
  return html`<table role="table">
<caption class="visually-hidden">${caption}</caption>
<thead role="rowgroup"><tr role="row">${columns.map(
    ({ title, ...column }) =>
      html`<th role="columnheader" scope="col" class="${classOf(column)}">${title}</th>`,
  )}</tr></thead>
<tbody role="rowgroup">${rows.map(
    (row) =>
      html`<tr role="row">${columns.map(({ title, cell, ...column }, index) =>
        index === 0
          ? html`<th role="rowheader" scope="row">${cell(row)}</th>`
          : html`<td role="cell" class="${classOf(column)}" data-title="${title}"><div>${cell(row)}</div></td>`,
      )}</tr>
`,
  )}</tbody>
</table>`;
}

function classOf({ number, wide }: Pick<Column<never>, "number" | "wide">): string {
  return number ? "number" : wide ? "wide" : "text";
}
