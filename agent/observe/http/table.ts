import type { Content, Html } from "./html.ts";
import { html } from "./html.ts";

export interface Column {
  readonly title: string;
  /** Aligned to the right. */
  readonly number?: boolean;
  readonly wide?: boolean;
}

/**
 * A table whose first column names its rows. On a narrow screen, style alone turns each row into a small
 * card. The roles are written out: a table that is laid out as blocks would lose them.
 */
export function table(
  caption: string,
  columns: readonly Column[],
  rows: readonly (readonly Content[])[],
): Html {
  return html`<table role="table">
<caption class="visually-hidden">${caption}</caption>
<thead role="rowgroup"><tr role="row">${columns.map(
    (column) => html`<th role="columnheader" scope="col" class="${classOf(column)}">${column.title}</th>`,
  )}</tr></thead>
<tbody role="rowgroup">${rows.map(
    (cells) =>
      html`<tr role="row">${cells.map((cell, index) => {
        const column = columns[index] ?? { title: "" };
        return index === 0
          ? html`<th role="rowheader" scope="row">${cell}</th>`
          : html`<td role="cell" class="${classOf(column)}" data-title="${column.title}"><div>${cell}</div></td>`;
      })}</tr>
`,
  )}</tbody>
</table>`;
}

function classOf({ number, wide }: Column): string {
  return number ? "number" : wide ? "wide" : "text";
}
