import type { Context } from "../../launch/facts/context.ts";
import { contextOf, type Keeper } from "../../launch/keeper.ts";
import type { Draft } from "../../ledger/draft.ts";
import type { Instant } from "../../ledger/instant.ts";
import { readDraft } from "../../ledger/read-draft.ts";
import type { Answer } from "../fleet/wish/machine-question.ts";

/** One thing that machines are asked: which of them now, and what follows from the answers. */
export interface Kind {
  /** Absent: 16. So many of it at once: a slow one keeps no other kind waiting. */
  readonly atOnce?: number;
  /** The machines to ask now. Pure but for what the kind remembers of this process. */
  due(draft: Draft, context: Context): readonly Job[];
  /** Stores what they said, in one transaction, which may be tried again. */
  store(draft: Draft, answered: readonly Answered[], context: Context): void;
}

export interface Job {
  /** The deployment's id. No second job of the kind begins for it meanwhile. */
  readonly id: string;
  ask(signal: AbortSignal): Promise<Answer>;
}

export interface Answered {
  readonly id: string;
  readonly answer: Answer;
  readonly at: Instant;
}

const MOST_AT_ONCE = 16;

interface Queue {
  readonly kind: Kind;
  waiting: Job[];
  readonly running: Set<string>;
  answered: Answered[];
}

/** Asks machines, beside the loop and never in its way. */
export class MachineWatch {
  readonly #keeper: Keeper;
  readonly #show: (text: string) => string;
  readonly #queues: readonly Queue[];
  readonly #closing = new AbortController();
  readonly #work = new Set<Promise<void>>();
  #looking = false;
  #storing = false;

  /** `show` makes a text fit to be kept and shown. */
  constructor(keeper: Keeper, kinds: readonly Kind[], show: (text: string) => string) {
    this.#keeper = keeper;
    this.#show = show;
    this.#queues = kinds.map((kind) => ({ kind, waiting: [], running: new Set(), answered: [] }));
  }

  /** Starts what is due, and returns at once. */
  pump(): void {
    if (this.#looking || this.#closing.signal.aborted) return;
    this.#looking = true;
    this.#begin(
      this.#look().finally(() => {
        this.#looking = false;
      }),
    );
  }

  /** Nothing is asked any more, and all answers are stored. */
  async settled(): Promise<void> {
    while (this.#work.size > 0) await Promise.all(this.#work);
  }

  async close(): Promise<void> {
    this.#closing.abort(new Error("the agent ends"));
    await this.settled();
  }

  /** Errors are ignored: the loop meets the same ledger and reports. */
  #begin(work: Promise<void>): void {
    const tracked = work.catch(() => undefined).finally(() => this.#work.delete(tracked));
    this.#work.add(tracked);
  }

  async #look(): Promise<void> {
    const draft = await readDraft(this.#keeper);
    const context = contextOf(this.#keeper);
    for (const queue of this.#queues) {
      // What waited since an earlier look may be due no more.
      queue.waiting = queue.kind.due(draft, context).filter(({ id }) => !queue.running.has(id));
      this.#fill(queue);
    }
  }

  #fill(queue: Queue): void {
    while (queue.running.size < (queue.kind.atOnce ?? MOST_AT_ONCE) && !this.#closing.signal.aborted) {
      const job = queue.waiting.shift();
      if (!job) return;
      queue.running.add(job.id);
      this.#begin(this.#ask(queue, job));
    }
  }

  async #ask(queue: Queue, { id, ask }: Job): Promise<void> {
    const answer = await ask(this.#closing.signal).catch(
      (error: Error): Answer => ({ kind: "unknown", why: error.message }),
    );
    queue.running.delete(id);
    // What an agent that ends has cut off says nothing of the machine.
    if (this.#closing.signal.aborted) return;
    const shown = answer.kind === "good" ? answer : { ...answer, why: this.#show(answer.why) };
    queue.answered.push({ id, answer: shown, at: this.#keeper.clock.now() });
    this.#fill(queue);
    if (!this.#storing) this.#begin(this.#store());
  }

  /** Answers that come while others are stored are stored together. */
  async #store(): Promise<void> {
    this.#storing = true;
    const { ledger, account } = this.#keeper;
    try {
      while (this.#queues.some(({ answered }) => answered.length > 0)) {
        const taken = this.#queues.map((queue) => ({ kind: queue.kind, answered: queue.answered.splice(0) }));
        await ledger.decide(account, (draft) => {
          const context = contextOf(this.#keeper);
          for (const { kind, answered } of taken)
            if (answered.length > 0) kind.store(draft, answered, context);
        });
      }
    } finally {
      this.#storing = false;
    }
  }
}
