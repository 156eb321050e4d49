import { type FleetkeeperError, unhandled } from "../contract/errors.ts";
import { LONGEST_CURSOR } from "../contract/limits.ts";
import type { Json } from "../contract/service.ts";
import { withQuery } from "../profile/calls.ts";
import type { WireProfile } from "../profile/profile.ts";
import { readInteger, readText } from "../text/json.ts";
import type { Redaction } from "../text/redaction.ts";
import { nextLink } from "./http-link.ts";

export type ListProfile = NonNullable<WireProfile["offers"]>["list"];

/** A page that was read, as far as it says whether there is another one. */
interface Turn {
  readonly profile: ListProfile;
  /** Of the list, without a query. */
  readonly list: string;
  /** Of this page. */
  readonly url: string;
  readonly link: string | undefined;
  /** What stands at {@link endPointer}. */
  readonly end: Json | undefined;
  readonly page: number;
  /** Items of all pages, with repeated ones: an offset counts them too. */
  readonly arrived: number;
  readonly distinct: number;
  /** Items of this page. */
  readonly count: number;
  readonly cut: (message: string) => FleetkeeperError;
  readonly redact: Redaction;
}

/** Where an answer says how the list goes on; undefined if nothing in it does. */
export function endPointer({ pagination }: ListProfile): string | undefined {
  if (pagination.kind === "cursor") return pagination.next;
  return "total" in pagination ? pagination.total : undefined;
}

/** The address of the next page; undefined at the end of the list. */
export function nextUrl(turn: Turn): string | undefined {
  const { profile, list, url, end, page, arrived, cut, redact } = turn;
  const { pagination } = profile;
  const link = nextLink(turn.link);
  switch (pagination.kind) {
    case "none":
      if (link !== undefined)
        throw cut('the profile says pagination "none", but the answer links to a next page. Use kind: link.');
      return undefined;
    case "page":
    case "offset": {
      if (isEnd(turn, pagination.total)) {
        if (link !== undefined)
          throw cut(`page ${page} is the last one by the profile, but it links to a next page.`);
        return undefined;
      }
      return pagination.kind === "page"
        ? withQuery(firstUrl(list, profile), { [pagination.pageParameter]: pagination.first + page })
        : withQuery(firstUrl(list, profile), { [pagination.offsetParameter]: arrived });
    }
    case "cursor": {
      if (end === undefined || end === null || end === "") return undefined;
      const cursor = readText(end);
      if (cursor === undefined || cursor.length > LONGEST_CURSOR)
        throw cut(
          `what stands at ${pagination.next} (deployments or offers pagination.next) is no cursor: ${cursor ? `it has ${cursor.length} characters, and at most ${LONGEST_CURSOR} are sent` : "no text and no number"}.`,
        );
      return withQuery(firstUrl(list, profile), { [pagination.cursorParameter]: cursor });
    }
    case "link": {
      if (link === undefined) return undefined;
      const next = URL.canParse(link, url) ? new URL(link, url) : undefined;
      if (next?.origin !== new URL(url).origin) {
        throw cut(
          `page ${page} links to ${redact.text(link)}, which is not at the service's own address. The credential is not sent there.`,
        );
      }
      return next.href;
    }
    default:
      return unhandled(pagination);
  }
}

function isEnd({ end, distinct, count, cut }: Turn, pointer: string | undefined): boolean {
  if (pointer === undefined) return count === 0;
  const total = readInteger(end);
  if (total === undefined || total < 0)
    throw cut(`there is no total at ${pointer || "the top of the answer"}.`);
  if (count > total) throw cut(`the total at ${pointer} is ${total}, but one page alone holds ${count}.`);
  if (distinct < total && count === 0)
    throw cut(`${total} are there by the answer's total, but only ${distinct} arrived.`);
  return distinct >= total;
}

export function firstUrl(url: string, { query = {}, pagination }: ListProfile): string {
  switch (pagination.kind) {
    case "page":
      return withQuery(url, {
        ...query,
        [pagination.pageParameter]: pagination.first,
        ...(pagination.sizeParameter === undefined ? {} : { [pagination.sizeParameter]: pagination.size }),
      });
    case "offset":
      return withQuery(url, {
        ...query,
        [pagination.offsetParameter]: 0,
        [pagination.limitParameter]: pagination.limit,
      });
    case "cursor":
      return withQuery(url, {
        ...query,
        ...(pagination.sizeParameter === undefined || pagination.size === undefined
          ? {}
          : { [pagination.sizeParameter]: pagination.size }),
      });
    case "none":
    case "link":
      return withQuery(url, query);
    default:
      return unhandled(pagination);
  }
}
