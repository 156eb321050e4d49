import type { Context } from "../../../../launch/facts/context.ts";
import { contextOf, type Keeper } from "../../../../launch/keeper.ts";
import type { History } from "../../../../ledger/chart-history.ts";
import type { Draft } from "../../../../ledger/draft.ts";
import { HOUR_MS } from "../../../../ledger/instant.ts";
import type { LeaseState } from "../../../../ledger/lease.ts";
import { readDraft } from "../../../../ledger/read-draft.ts";
import { leaseOf } from "../../../fleet/phase/agent-alive.ts";
import { ago, type Moments } from "../../../fleet/text/format.ts";
import { clean } from "../../../fleet/text/text.ts";
import type { AccountHead } from "../../../json/status.ts";
import type { Actor } from "../../../orders/actor.ts";
import { accountHead } from "../../../status/account-status.ts";
import type { Pulse } from "../measures/pulse.ts";
import type { Said } from "../reach/sessions.ts";
import { type Content, LONGEST_TEXT } from "./html.ts";
import { linkingIds } from "./links.ts";

export interface PageOptions {
  readonly keeper: Keeper;
  readonly history: History;
  readonly pulse: Pulse;
  readonly short: ReadonlyMap<string, number>;
  readonly moments: Moments;
  readonly version: string;
  /** Takes secrets out of a text: the service may repeat any of them. */
  readonly hide: (text: string) => string;
}

/** Who reads a page. */
export interface Reader {
  /** By a share link. */
  readonly isGuest: boolean;
  /** Who has signed in, and is offered what they may order. */
  readonly actor?: Actor | undefined;
  readonly said?: Said | undefined;
}

/** What every page of an account needs. */
export interface Basics extends Reader {
  readonly draft: Draft;
  readonly context: Context;
  /** Wall time in ms. */
  readonly now: number;
  readonly moments: Moments;
  readonly version: string;
  /** See `leaseOf`. */
  readonly lease: LeaseState | undefined;
  readonly head: AccountHead;
  /** The agent that serves the page is not the one that keeps the account. */
  readonly isStandby: boolean;
  /** A text of ours or of the service as it may be shown: without secrets, cut, its ids linked. */
  readonly words: (text: string) => Content;
}

export async function basicsOf(options: PageOptions, reader: Reader): Promise<Basics> {
  const { keeper, pulse, moments, version, hide } = options;
  const context = contextOf(keeper);
  const draft = await readDraft(keeper);
  const lease = await leaseOf(keeper.ledger, keeper.account);
  const link = linkingIds(draft);
  return {
    draft,
    context,
    now: context.now.wall,
    moments,
    version,
    ...reader,
    lease,
    head: accountHead(draft, lease, context),
    isStandby: pulse.isStandby,
    words: (text) => link(clean(hide(text), LONGEST_TEXT)),
  };
}

/** How old the shown list is; undefined if it is fresh, or if there is none. */
export function oldOf({ head: { list, fresh }, moments, now }: Pick<Basics, "head" | "moments" | "now">) {
  if (fresh || list === null) return undefined;
  const time = now - list < 20 * HOUR_MS ? moments.time(list) : moments.dayAndTime(list);
  return { time, text: `${time}, ${ago(list, now)}` };
}
