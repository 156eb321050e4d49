import { admit, stampForSend } from "../../launch/admit/admit.ts";
import type { LaunchWish } from "../../launch/admit/rule.ts";
import type { Context, ProtocolSettings, WireFacts } from "../../launch/facts/context.ts";
import { DEFAULT_SETTINGS } from "../../launch/facts/context.ts";
import type { Hold } from "../../launch/facts/hold.ts";
import { holdText, kindOf } from "../../launch/facts/hold.ts";
import { toBeJudged, trimSlots } from "../../launch/people/slot.ts";
import { observe } from "../../launch/protocol.ts";
import type { Outcome } from "../../launch/resolve/answer.ts";
import { storeAnswer } from "../../launch/resolve/answer.ts";
import { storeLook, storeNoLook, toLookUp } from "../../launch/resolve/missing.ts";
import type { Change } from "../../ledger/draft.ts";
import { Draft } from "../../ledger/draft.ts";
import type { Instant, ProcessIdentity } from "../../ledger/instant.ts";
import { MemoryLedger } from "../../ledger/memory/memory-ledger.ts";
import type { DeploymentRow, IntentRow, Owner, Tenure } from "../../ledger/rows.ts";
import type { Rows } from "../../ledger/tables.ts";
import { tablesOf } from "../../ledger/tables.ts";
import type { Account } from "../../service/contract/contract.ts";
import { FleetkeeperError } from "../../service/contract/errors.ts";
import type { Deployment, LaunchAnswer } from "../../service/contract/service.ts";
import type { Unread } from "../../service/contract/unread.ts";

export const OSLO = { offer: "h100-8", provider: "north", location: "oslo" } as const;
export const ROME = { offer: "h100-8", provider: "south", location: "rome" } as const;
export const FLEET: Owner = "fleet:web";
export const BASE_URL = "https://gpus.example.com";

const ACCOUNT: Account = {
  id: "acc",
  email: "a@b.c",
  display_name: "A",
  created_at: "2026-01-01T00:00:00Z",
};

export interface BenchOptions {
  readonly tenure?: Tenure;
  /** The profile maps a marker, and no launch has shown it back yet. */
  readonly marker?: boolean;
  /** The profile maps offer, provider and location. */
  readonly combination?: boolean;
  readonly get?: boolean;
  /** For how long an accepted id may stay unseen, by the profile. */
  readonly mayVanish?: number;
  /** What has ended is not listed, by the profile. */
  readonly unlisted?: boolean;
  readonly profile?: string;
  /** States that the profile names as ends. */
  readonly terminal?: readonly string[];
  readonly replace?: readonly string[];
  readonly settings?: Partial<ProtocolSettings>;
  readonly ledger?: MemoryLedger;
  /** Which account the service says that it is. */
  readonly account?: Account;
  /** True: no launch under this profile was answered yet. */
  readonly unproven?: boolean;
  /** What answered launches have shown back already, such as "marker". */
  readonly shownBack?: readonly string[];
}

/** An admission, or the hold that matters most, with its text. */
type Admitted =
  | { readonly intent: IntentRow }
  | {
      readonly refused: Hold & {
        readonly about: string | undefined;
        readonly text: string;
        readonly ms: number | undefined;
      };
      readonly holds: readonly Hold[];
    };

/**
 * Decisions on a bench: an in-memory ledger, a clock that goes on by hand, senders that live until they are killed, and
 * lists that show what the test says.
 */
export class LaunchBench {
  readonly ledger: MemoryLedger;
  readonly account: string;
  wire: WireFacts;
  settings: ProtocolSettings;
  now: Instant = { wall: 1_700_000_000_000, mono: 1_000_000, boot: "boot-1" };
  readonly dead = new Set<number>();
  /** What was stored, change by change. */
  readonly log: Change[] = [];
  /** What the service shows, by id. */
  readonly shown = new Map<string, Deployment>();
  /** What it shows, and nobody can read. */
  unread: readonly Unread[] = [];
  #intents = 0;

  constructor(options: BenchOptions = {}) {
    this.ledger = options.ledger ?? new MemoryLedger();
    this.ledger.onChange = (change) => this.log.push(change);
    const account = options.account ?? ACCOUNT;
    this.account = this.ledger.openAccountNow({
      baseUrl: BASE_URL,
      account,
      tenure: options.tenure ?? "exclusive",
    });
    this.wire = {
      profileHash: options.profile ?? "profile-1",
      abilities: {
        marker: options.marker ?? false,
        combination: options.combination ?? false,
        get: options.get ?? true,
        ...(options.mayVanish === undefined ? {} : { mayVanish: options.mayVanish }),
        ...(options.unlisted ? { endedUnlisted: true as const } : {}),
      },
      isTerminal: (status) =>
        status === "failed" || status === "interrupted" || options.terminal?.includes(status) === true,
      isUnserving: (status) => options.replace?.includes(status) === true,
    };
    this.settings = { ...DEFAULT_SETTINGS, ...options.settings };
    if (!options.unproven) {
      this.ledger.decideNow(this.account, (draft) => {
        const known = { proven: true, shown: options.shownBack ?? [], ends: [], halted: null };
        draft.putAccount({
          ...draft.account,
          profiles: { ...draft.account.profiles, [this.wire.profileHash]: known },
        });
      });
    }
  }

  get context(): Context {
    const { dead, wire, settings, now } = this;
    return {
      ledger: this.ledger.id,
      now,
      wire,
      settings,
      isAlive: ({ boot, pid }) => boot === now.boot && !dead.has(pid),
    };
  }

  /** Time goes on; the wall clock by as much, unless the test says otherwise. */
  advance(ms: number, wall = ms): void {
    this.now = { ...this.now, mono: this.now.mono + ms, wall: this.now.wall + wall };
  }

  reboot(wall = 60_000): void {
    const boot = `boot-${Number(this.now.boot.split("-")[1]) + 1}`;
    this.now = { boot, mono: 5_000, wall: this.now.wall + wall };
  }

  decide<T>(decision: (draft: Draft, context: Context) => T): T {
    return this.ledger.decideNow(this.account, (draft) => decision(draft, this.context));
  }

  get rows(): Rows {
    return this.ledger.readNow(this.account);
  }

  get draft(): Draft {
    return new Draft(tablesOf(this.rows));
  }

  /** What the service shows from now on. */
  show(id: string, more: Partial<Deployment> = {}): void {
    this.shown.set(id, { ...(this.shown.get(id) ?? { id, status: "running" }), ...more });
  }

  /** One full list; false: distrusted. */
  list(
    begun: Instant = this.now,
    deployments: readonly (Deployment | Unread)[] = [...this.shown.values(), ...this.unread],
  ): boolean {
    return this.decide((draft, context) => {
      const believed = observe(draft, { begun, deployments }, context);
      trimSlots(draft, context);
      return believed;
    });
  }

  /** A GET by id of what the service shows. */
  look(id: string): void {
    const { now } = this;
    this.decide((draft, context) => storeLook(draft, id, this.shown.get(id), now, context));
  }

  /** A GET by id that shows neither the machine nor that there is none. */
  lookInVain(id: string, error = new FleetkeeperError("REFUSED", "answered 400", { status: 400 })): void {
    this.decide((draft, context) => storeNoLook(draft, id, error, context));
  }

  /** Lists at every poll until this much time has passed. */
  poll(ms: number): void {
    for (let left = ms; left > 0; left -= this.settings.poll) {
      this.advance(Math.min(left, this.settings.poll));
      this.list();
    }
  }

  /** Takes lists for so long, with a GET for each machine that they lack. */
  rounds(ms: number, look = (id: string): void => this.look(id)): void {
    for (let left = ms; left > 0; left -= this.settings.poll) {
      this.poll(Math.min(left, this.settings.poll));
      for (const id of toLookUp(this.draft)) look(id);
    }
  }

  /** As long as it takes until an unanswered launch is called absent. */
  untilAbsent(): void {
    this.poll(this.settings.postTimeout + this.settings.settle + 2 * this.settings.poll);
  }

  wish(more: Partial<LaunchWish> = {}): LaunchWish {
    return {
      ...OSLO,
      owner: FLEET,
      gpus: 8,
      pricePerHour: "16.0000",
      parameters: {},
      limits: {},
      rules: [],
      ...more,
    };
  }

  admit(more: Partial<LaunchWish> = {}, pid = 1): Admitted {
    const sender: ProcessIdentity = { boot: this.now.boot, pid, started: "0" };
    const id = `intent${String(++this.#intents).padStart(6, "0")}`;
    return this.decide((draft, context) => {
      const admission = admit(draft, this.wish(more), context, { id, ledger: this.ledger.id, sender });
      if (!("refused" in admission)) return admission;
      const [first] = admission.refused as readonly [Hold];
      const { wall } = context.now;
      const ms = first.until === undefined ? undefined : first.until - wall;
      const said = { ...first, about: kindOf(first)?.about, text: holdText(first, wall), ms };
      return { refused: said, holds: admission.refused };
    });
  }

  stamp(id: string, more: Partial<LaunchWish> = {}): boolean {
    return this.decide((draft, context) => stampForSend(draft, id, context, this.wish(more)));
  }

  /** Admits and stamps: the POST is on its way. */
  send(more: Partial<LaunchWish> = {}, pid = 1): string {
    const admission = this.admit(more, pid);
    if ("refused" in admission) throw new Error(`refused: ${admission.refused.text}`);
    const { id } = admission.intent;
    if (!this.stamp(id, more)) throw new Error("given up");
    return id;
  }

  /** A list, then a launch that is on its way. */
  launch(more: Partial<LaunchWish> = {}, pid = 1): string {
    this.list();
    return this.send(more, pid);
  }

  answer(intent: string, answer: LaunchAnswer): Outcome {
    return this.decide((draft, context) => storeAnswer(draft, intent, answer, context));
  }

  accept(intent: string, id: string, deployment: Partial<Deployment> = {}): Outcome {
    return this.answer(intent, { kind: "accepted", id, deployment });
  }

  lose(intent: string): Outcome {
    return this.answer(intent, { kind: "unknown", reason: "connection reset" });
  }

  /** Launches, answers and lists: a machine that is surely ours. */
  machine(id: string, more: Partial<LaunchWish> = {}, shown: Partial<Deployment> = {}): string {
    const intent = this.launch(more);
    this.accept(intent, id);
    this.show(id, shown);
    this.advance(1);
    this.list();
    return intent;
  }

  why(admission: Admitted): string {
    return "refused" in admission ? admission.refused.kind : "admitted";
  }

  intent(id: string): IntentRow {
    const row = this.draft.intents.ever(id);
    if (!row) throw new Error(`no intent ${id}`);
    return row;
  }

  row(id: string): DeploymentRow {
    const row = this.draft.deployments.ever(id);
    if (!row) throw new Error(`no deployment ${id}`);
    return row;
  }

  /** Ids that people are asked to judge. */
  get reported(): readonly string[] {
    return toBeJudged(this.draft, this.now).map((row) => row.id);
  }

  get halted(): string | undefined {
    return this.rows.account.profiles[this.wire.profileHash]?.halted?.reason;
  }

  /** What was told of this kind, oldest first. */
  told(kind: string): readonly string[] {
    return this.ledger
      .eventsNow(this.account)
      .filter((event) => event.kind === kind)
      .map(({ text }) => text)
      .reverse();
  }

  /** Kinds of the events, oldest first. */
  get events(): readonly string[] {
    return this.ledger
      .eventsNow(this.account)
      .map(({ kind }) => kind)
      .reverse();
  }
}
