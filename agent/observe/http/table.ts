import type { Content, Html } from "./html.ts";
import { html } from "./html.ts";

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
