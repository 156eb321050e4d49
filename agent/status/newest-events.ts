import type { Ledger } from "../../ledger/ledger.ts";
import { readDraft } from "../../ledger/read-draft.ts";
import type { StoredEvent } from "../../ledger/rows.ts";
import { calledName } from "./owner-names.ts";

/** How far back somebody's orders are looked for. */
const MOST_EVENTS = 10_000;

export interface AskedEvents {
  readonly limit: number;
  /** Only those of higher sequence numbers. */
  readonly after?: number | undefined;
  /** Only what this actor ordered. */
  readonly by?: string | undefined;
}

/** What happened in an account, the newest first. */
async function newestEvents(
  ledger: Pick<Ledger, "events">,
  account: string,
  { limit, after = 0, by }: AskedEvents,
): Promise<readonly StoredEvent[]> {
  if (by === undefined) return ledger.events(account, limit, after);
  const events = await ledger.events(account, MOST_EVENTS, after);
  return events.filter(({ actor }) => actor === by).slice(0, limit);
}

/** The same, as programs read it. */
export async function eventFacts(ledger: Ledger, account: string, asked: AskedEvents) {
  const draft = await readDraft({ ledger, account });
  const events = await newestEvents(ledger, account, asked);
  return events.map((event) => ({
    account: draft.account.email,
    ...event,
    name: event.owner && calledName(draft, event.owner),
  }));
}
