import type { Draft } from "../../../../ledger/draft.ts";
import { ownerParts } from "../../../../ledger/owner.ts";
import type { Owner } from "../../../../ledger/rows.ts";
import { calledName } from "../../../status/owner-names.ts";
import { type Content, type Html, html } from "./html.ts";

/** The account's pages. All stand in one folder: a link is relative, whatever the path that they stand under. */
export type PageName =
  | "machine"
  | "launch"
  | "fleet"
  | "deployment"
  | "search"
  | "places"
  | "act"
  | "sign-in";

/** `html` cuts a longer text, and a link that is cut leads elsewhere. */
const LONGEST_LINK = 500;

/** The address of a page. Undefined: what it asks for is too long for one, or no text. */
export function linkTo(
  page: PageName,
  query: Readonly<Record<string, string | number | undefined>>,
): string | undefined {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === "" ? [] : [[name, String(value)] as const],
  );
  if (given.some(([, value]) => !value.isWellFormed())) return undefined;
  const asked = new URLSearchParams(Object.fromEntries(given)).toString();
  const link = asked === "" ? page : `${page}?${asked}`;
  return link.length > LONGEST_LINK ? undefined : link;
}

function linked(link: string | undefined, text: string): Content {
  return link === undefined ? text : html`<a href="${link}">${text}</a>`;
}

export function machineLink(id: string): Html {
  return html`<span class="id">${linked(linkTo("machine", { id }), id)}</span>`;
}

export function launchLink(id: string): Html {
  return html`<span class="id">${linked(linkTo("launch", { id }), id)}</span>`;
}

export function fleetLink(name: string): Content {
  return linked(linkTo("fleet", { name }), name);
}

/** An owner by the name that people gave, linked to its page. */
export function ownerLink(draft: Pick<Draft, "slots">, owner: Owner): Content {
  const page = ownerParts(owner).kind === "fleet" ? "fleet" : "deployment";
  const name = calledName(draft, owner);
  return linked(linkTo(page, { name }), name);
}

/** Links each id that the ledger knows and that stands in a text of ours as a word. */
export function linkingIds(draft: Draft): (text: string) => Content {
  const { deployments, archive, intents } = draft;
  return (text) =>
    text.split(/([^\s,;:()"'<>]{3,200})/).map((part, index) => {
      if (index % 2 === 0) return part;
      // The end of a sentence is none of an id.
      const word = part.replace(/\.+$/, "");
      const rest = part.slice(word.length);
      if (deployments.has(word) || archive.has(word))
        return [linked(linkTo("machine", { id: word }), word), rest];
      return intents.has(word) ? [linked(linkTo("launch", { id: word }), word), rest] : part;
    });
}
