import { readInteger } from "../../service/text/json.ts";
import { valueAt } from "../../service/text/pointer.ts";
import type { Redaction } from "../../service/text/redaction.ts";
import { answersOf, type ProposalInput } from "./proposal-input.ts";
import type { DocumentedParameter } from "./saved/documented-operation.ts";
import type { Shown } from "./saved/evidence.ts";
import { pagingOfSaved, type SavedPage } from "./saved-pages.ts";
import { itemsLine, listIn } from "./shape/best-list.ts";
import { isCredentialName } from "./shape/credential.ts";
import { deploymentIn, type FoundList } from "./shape/lists.ts";
import { hasPages, pagingSigns } from "./shape/paging.ts";
import {
  cursorPaging,
  offsetPaging,
  type Paging,
  paginationLines,
  pagingLines,
} from "./shape/paging-guess.ts";
import { yamlText } from "./shape/texts.ts";
import { entryOf, type Proposed, type WireEntry } from "./wire.ts";

const PAGE_WORDS =
  /^(page(_?(number|index|size))?|p|per_?page|limit|offset|skip|take|size|cursor|after|before|next.*|.*page_?token|start.*|count)$/i;

/** Where a list has its items, how it goes on, and which query it was asked with. */
export function proposeList(part: "deployments" | "offers", view: ProposalInput, below = ""): Proposed {
  const shown = answersOf(part, view);
  const isOffers = part === "offers";
  const amount = (each: Shown): number => listOf(part, each)?.length ?? -1;
  const [best] = [...shown].sort((one, other) => amount(other) - amount(one));
  const list = best && listOf(part, best);
  if (best === undefined || list === undefined) {
    if (isOffers && best === undefined) return { entries: {}, open: [] };
    const what = isOffers ? "an offer" : "a machine";
    const how =
      best === undefined
        ? `save GET /api/v1/${part} with ${what} in it`
        : `${best.file} shows no list of ${part} that can be recognised: save one with ${what} in it. A deployment has id and status (specification, section 2)`;
    return { entries: {}, open: [{ part: `${part}.list`, how }] };
  }
  const items = best.isSchema
    ? `items: ${yamlText(`${list.pointer}${below}`)}  # ${best.file} describes it so`
    : itemsLine(part, list, `${best.file}: `);
  const pagination = paginationOf(part, best, shown, list.length, view);
  const query = queryOf(best, pagination, view.redact);
  const entries = { items: { lines: [items] }, pagination, ...(query && { query }) };
  const how =
    "how the list goes on is a promise about money. If one answer always holds everything: kind: none. Else save two pages with their requests, or let doctor look: it asks for a next page";
  const empty = "the list is empty: save one with a machine in it";
  const kinds = best.at === undefined ? [] : kindsOf(part, view);
  return {
    entries,
    open: [
      ...kinds,
      ...(pagination.isOpen ? [{ part: `${part}.list.pagination`, how }] : []),
      ...(list.length === 0 ? [{ part: `${part}.list.items`, how: empty }] : []),
    ],
  };
}

/**
 * A list that shows one kind of machine unless it is asked for another hides the others: they would be rented again. One that
 * shows more on demand may lack what the profile reads.
 */
function kindsOf(part: "deployments" | "offers", { documents }: ProposalInput): Proposed["open"] {
  const all = documents.flatMap(
    ({ operations }) => operations.find(({ kind }) => kind === part)?.query ?? [],
  );
  return all.flatMap(({ name, words }) => {
    const choice = `the list can be asked for ${name}=${words.map(String).slice(0, 6).join(" or ")}`;
    const why = words.some((word) => /gpu/i.test(String(word)))
      ? "does it show GPU machines without that? A machine that the list hides would be rented again. If it hides them"
      : /^(include|expand|embed)s?$/i.test(name) && words.length > 0
        ? "does it show without that what is proposed here? If not"
        : undefined;
    const how = `${choice}: ${why}: query: { ${name}: ... }`;
    return why === undefined ? [] : [{ part: `calls.${part === "offers" ? "offers" : "list"}.query`, how }];
  });
}

/** `at`: of a document of another service. */
function listOf(part: "deployments" | "offers", { json, at }: Shown): FoundList | undefined {
  return at === undefined ? listIn(part, json) : { pointer: at, length: 1, objects: [], deployments: [] };
}

function paginationOf(
  part: "deployments" | "offers",
  best: Shown,
  all: readonly Shown[],
  items: number,
  view: ProposalInput,
): WireEntry {
  const documented = documentedPaging(part, best, view);
  if (best.isSchema) {
    const signs = pagingSigns(best);
    const kind = hasPages(signs) ? "<page, offset or cursor>" : "<none, page, offset, cursor or link>";
    const why = hasPages(signs)
      ? "the answer is one of pages, and the document names no parameter for them"
      : "the document names no parameter for pages, which proves nothing";
    return documented ?? entryOf(paginationLines({ kind, keys: { total: signs.total?.pointer } }, why));
  }
  const saved = pagingOfSaved(pagesOf(part, all));
  if (saved !== undefined) return entryOf(paginationLines(saved, saved.why));
  const seen = entryOf(pagingLines(pagingSigns(best), items, undefined));
  const other = seen.isOpen && (documented ?? (part === "deployments" ? asOffersDo(best, view) : undefined));
  return other || { ...seen, lines: seen.lines.map((line) => line.replace("  # ", `  # ${best.file}: `)) };
}

/** As the offers go on, if the answer has the place of their next cursor, too. */
function asOffersDo({ json, file }: Shown, view: ProposalInput): WireEntry | undefined {
  const paging = pagingOfSaved(pagesOf("offers", answersOf("offers", view)));
  const next = paging?.keys.next;
  if (paging === undefined || typeof next !== "string" || valueAt(json, next) === undefined) return undefined;
  return entryOf(paginationLines(paging, `as the offers: ${paging.why}, and ${file} has ${next}, too`));
}

function pagesOf(part: "deployments" | "offers", all: readonly Shown[]): readonly SavedPage[] {
  return all.flatMap((shown) => {
    const list = listIn(part, shown.json);
    return list === undefined ? [] : [{ shown, list }];
  });
}

/** From the parameters that a document names for the list. Their sizes are its defaults. */
function documentedPaging(
  part: "deployments" | "offers",
  best: Shown,
  { documents }: ProposalInput,
): WireEntry | undefined {
  for (const { file, operations } of documents) {
    const parameters = operations.find(({ kind }) => kind === part)?.query ?? [];
    const named = (pattern: RegExp): DocumentedParameter | undefined =>
      parameters.find(({ name }) => pattern.test(name));
    const page = named(/^(page|page_?(number|index)|p)$/i);
    const size = named(/^(per_?page|page_?size|limit|take|size)$/i);
    const offset = named(/^(offset|skip)$/i);
    const cursor = named(/^(cursor|after|starting_?after|after_?token|page_?token|next_?token)$/i);
    const signs = pagingSigns(best);
    const total = signs.total?.pointer;
    const limit =
      readInteger(size?.default) ??
      `<${size === undefined ? "items a page" : `${size.name}: the document says no default`}>`;
    const first = readInteger(page?.default) ?? readInteger(page?.minimum);
    const found: Paging | undefined =
      cursor !== undefined && signs.cursor !== undefined
        ? cursorPaging(cursor.name, signs.cursor.pointer)
        : offset !== undefined && size !== undefined
          ? offsetPaging(offset.name, size.name, limit, total)
          : page && {
              kind: "page",
              keys: {
                pageParameter: page.name,
                first: first === 0 || first === 1 ? first : "<0 or 1: the number of the first page>",
                ...{ sizeParameter: size?.name, size: limit, total },
              },
            };
    if (found !== undefined) return entryOf(paginationLines(found, `by the parameters in ${file}`));
  }
  return undefined;
}

/** The parameters that the request had beside those for pages. */
function queryOf({ query, file }: Shown, { lines }: WireEntry, { hide }: Redaction): WireEntry | undefined {
  const others = [...(query ?? [])].filter(
    ([name, value]) =>
      !PAGE_WORDS.test(name) &&
      !lines.some((line) => line.endsWith(`: ${name}`)) &&
      // The credential is sent by the part auth.
      !isCredentialName(name) &&
      hide(value) === value,
  );
  if (others.length === 0) return undefined;
  return {
    lines: [
      "query:",
      ...others.map(
        ([name, value]) => `  ${yamlText(name)}: ${yamlText(value)}  # the request in ${file} had it`,
      ),
    ],
  };
}

/** Where `GET /api/v1/deployments/{id}` carries the record. */
export function proposeGet(view: ProposalInput): Proposed {
  for (const { json, file, isSchema, at } of answersOf("deployment", view)) {
    const place = at ?? deploymentIn(json);
    if (place === undefined) continue;
    const why = isSchema ? `${file} describes it so` : `${file}: there stand id and status`;
    return { entries: { item: { lines: [`item: ${yamlText(place)}  # ${why}`] } }, open: [] };
  }
  const how = "save GET /api/v1/deployments/ID of one machine (curl -i)";
  return { entries: {}, open: [{ part: "deployments.get", how }] };
}
