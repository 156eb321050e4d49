import { FleetkeeperError } from "../service/contract/errors.ts";
import { type Usd, ZERO_USD } from "../service/contract/money.ts";
import { DAY_MS } from "./instant.ts";
import type { Archived, DeploymentRow, IntentRow, Labels, Owner } from "./rows.ts";
import { copyOfStayDays, countStay, type StayDay, type StayDays } from "./stay-days.ts";

/** A machine's row and its launch's, as they went into the archive. */
export interface ArchivedPair {
  readonly row: DeploymentRow;
  /** Null: nobody here launched it. */
  readonly intent: IntentRow | null;
  readonly archived: Archived;
}

/** Where archived rows are stored. They are read one by one, and few of them ever are. */
export interface ArchiveStore {
  /** Throws LEDGER for a damaged row. */
  pair(deployment: string): ArchivedPair | undefined;
  /** An archived machine and its launch, by the launch. Throws LEDGER for a damaged row. */
  pairOf(intent: string): ArchivedPair | undefined;
  /** The ids of an owner's machines. */
  idsOf(owner: Owner): readonly string[];
}

/** What is kept in memory of all that an owner had. */
interface Had {
  machines: number;
  /** By the text of their labels: USD by the day of UTC on which the hours began, wall time in ms of its midnight. */
  readonly spent: Map<string, { readonly labels: Labels; readonly days: Map<number, Usd> }>;
}

/**
 * Machines that ended long ago, each with its launch. No rule goes through them: launch/list/archive.ts says which
 * may go there. They stay in the ledger, under their ids; `Draft` finds them there, and brings back what
 * changes after all. In memory there is of each its id and a digest, and of all together what they cost and what became of them in each
 * combination.
 */
export class Archive {
  readonly #store: ArchiveStore;
  #digests = new Map<string, string>();
  #had = new Map<Owner, Had>();
  #losses = new Map<string, number>();
  #stays: StayDays = new Map();
  /** Another archive has the same maps: who changes one makes its own first. */
  #isShared = false;

  constructor(store: ArchiveStore, all: Iterable<readonly [string, Archived]> = []) {
    this.#store = store;
    for (const [id, archived] of all) this.add(id, archived);
  }

  has(id: string): boolean {
    return this.#digests.has(id);
  }

  get size(): number {
    return this.#digests.size;
  }

  ids(): Iterable<string> {
    return this.#digests.keys();
  }

  idsOf(owner: Owner): readonly string[] {
    return this.#had.has(owner) ? this.#store.idsOf(owner) : [];
  }

  /** Throws LEDGER if the row is lost: its id must not be taken for a new one. */
  pair(id: string): ArchivedPair | undefined {
    if (!this.has(id)) return undefined;
    const pair = this.#store.pair(id);
    if (pair) return pair;
    throw new FleetkeeperError("LEDGER", `the ledger is damaged: the archived row of ${id} is not there.`);
  }

  pairOf(intent: string): ArchivedPair | undefined {
    return this.size > 0 && intent !== "" ? this.#store.pairOf(intent) : undefined;
  }

  /** The digest of a record that changes nothing of the machine's row; undefined: it is not archived. */
  digest(id: string): string | undefined {
    return this.#digests.get(id);
  }

  /** A record with this digest was judged anew, and changed nothing. Only remembered, not stored. */
  judged(id: string, digest: string): void {
    if (!this.has(id)) return;
    this.#own();
    this.#digests.set(id, digest);
  }

  hadBy(owner: Owner): number {
    return this.#had.get(owner)?.machines ?? 0;
  }

  /**
   * USD for the hours of an owner's machines that began from one midnight of UTC to another, in ms. `isMeant`: only those
   * under such labels.
   */
  spent(
    owner: Owner,
    from = Number.NEGATIVE_INFINITY,
    to = Number.POSITIVE_INFINITY,
    isMeant: (labels: Labels) => boolean = () => true,
  ): Usd {
    let sum = ZERO_USD;
    for (const { labels, days } of this.#had.get(owner)?.spent.values() ?? []) {
      if (!isMeant(labels)) continue;
      for (const [day, usd] of days) if (day >= from && day < to) sum = sum.plus(usd);
    }
    return sum;
  }

  /** All that ever had a machine which is archived. */
  owners(): Iterable<Owner> {
    return this.#had.keys();
  }

  /** Under which labels an owner's archived machines were paid for. */
  labelsOf(owner: Owner): readonly Labels[] {
    return [...(this.#had.get(owner)?.spent.values() ?? [])].map(({ labels }) => labels);
  }

  /** How many machines of ours were lost, by kind and code. */
  losses(): readonly { readonly kind: string; readonly code: string; readonly count: number }[] {
    return [...this.#losses].map(([key, count]) => {
      const [kind, code] = JSON.parse(key) as [string, string];
      return { kind, code, count };
    });
  }

  /** What machines did in each combination, day by day. */
  get stays(): ReadonlyMap<string, ReadonlyMap<number, Readonly<StayDay>>> {
    return this.#stays;
  }

  add(id: string, archived: Archived): void {
    if (this.has(id)) return;
    this.#own();
    this.#digests.set(id, archived.record ?? "");
    this.#count(archived, 1);
  }

  remove(id: string, archived: Archived): void {
    if (!this.has(id)) return;
    this.#own();
    this.#digests.delete(id);
    this.#count(archived, -1);
  }

  /** A copy, which has what this one has now. What one of both takes out or puts in later does not change the other. */
  copy(): Archive {
    const copy = new Archive(this.#store);
    copy.#digests = this.#digests;
    copy.#had = this.#had;
    copy.#losses = this.#losses;
    copy.#stays = this.#stays;
    copy.#isShared = true;
    this.#isShared = true;
    return copy;
  }

  #own(): void {
    if (!this.#isShared) return;
    this.#digests = new Map(this.#digests);
    this.#had = new Map([...this.#had].map(([owner, had]) => [owner, copyOf(had)]));
    this.#losses = new Map(this.#losses);
    this.#stays = copyOfStayDays(this.#stays);
    this.#isShared = false;
  }

  #count({ owner, spent, labels = {}, loss, stay }: Archived, times: 1 | -1): void {
    if (owner === null) return;
    if (stay) countStay(this.#stays, stay, times);
    const had: Had = this.#had.get(owner) ?? { machines: 0, spent: new Map() };
    this.#had.set(owner, had);
    had.machines += times;
    const key = JSON.stringify(labels);
    const { days } = had.spent.get(key) ?? { days: new Map<number, Usd>() };
    had.spent.set(key, { labels, days });
    for (const [day, usd] of Object.entries(spent)) {
      const at = Number(day) * DAY_MS;
      days.set(at, (days.get(at) ?? ZERO_USD).plus(ZERO_USD.plus(usd).times(times)));
    }
    if (loss === undefined) return;
    const what = JSON.stringify([loss.kind, loss.code]);
    this.#losses.set(what, (this.#losses.get(what) ?? 0) + times);
  }
}

function copyOf({ machines, spent }: Had): Had {
  const entries = [...spent].map(
    ([key, { labels, days }]) => [key, { labels, days: new Map(days) }] as const,
  );
  return { machines, spent: new Map(entries) };
}

/** An archive with nothing in it, for rows that come from nowhere. */
export function emptyArchive(): Archive {
  return new Archive({ pair: () => undefined, pairOf: () => undefined, idsOf: () => [] });
}
