import type { AccountState } from "./account.ts";
import type { Operation } from "./dialect.ts";
import type { Fault } from "./faults.ts";
import type { Journal, LaunchEntry } from "./journal.ts";
import type { Machine } from "./machine.ts";
import type { Launch, Model } from "./model.ts";
import type { RefusalReason } from "./refusal-reason.ts";

type LaunchOperation = Operation & { readonly kind: "launch" };
/** A launch with its entry in the journal. */
export type LaunchTask = LaunchOperation & { readonly entry: LaunchEntry };

/** Takes launch requests, and writes down what truly happened to each. */
export class LaunchDesk {
  readonly #model: Model;
  readonly #journal: Journal;

  constructor(model: Model, journal: Journal) {
    this.#model = model;
    this.#journal = journal;
  }

  /** Enters every request as it comes in. Its outcome is "lost" until another one is known. */
  enter(account: AccountState | undefined, operation?: LaunchOperation, fault?: Fault): LaunchEntry {
    const entry: LaunchEntry = {
      number: this.#journal.launches.length + 1,
      at: this.#model.world.now,
      account: account?.id,
      combination: operation?.combination,
      marker: operation?.marker,
      parameters: operation?.parameters ?? {},
      fault,
      outcome: account === undefined ? { kind: "refused", problem: "unauthorized" } : { kind: "lost" },
      answer: { kind: "drop" },
    };
    this.#journal.launches.push(entry);
    return entry;
  }

  /** A POST to the path of launches whose body is not a launch. */
  enterMisunderstood(account: AccountState | undefined, status: number): void {
    const entry = this.enter(account);
    if (account !== undefined) entry.outcome = { kind: "refused", problem: "invalid" };
    entry.answer = { kind: "answer", status };
  }

  launch(task: LaunchTask, account: AccountState, id?: string): Machine | RefusalReason {
    const { entry } = task;
    const launched = this.#commit(task, account, { id });
    entry.outcome =
      "message" in launched
        ? { kind: "refused", problem: launched.kind }
        : { kind: "committed", id: launched.id, at: launched.committedAt };
    return launched;
  }

  /** The request is delayed on its way, and takes effect when nobody waits for it any more. */
  launchLate(task: LaunchTask, account: AccountState, seconds: number, id?: string): void {
    const due = this.#model.world.now + Math.ceil(seconds * 1000);
    task.entry.outcome = { kind: "pending", due };
    this.#model.world.timeline.plan(due, {
      kind: "lateCommit",
      commit: () => void this.launch(task, account, id),
    });
  }

  /** Accepts the request before anybody looks for a machine: it is there so many seconds later, or never. */
  promise(task: LaunchTask, account: AccountState, seconds: number | undefined): Machine | RefusalReason {
    const promised = this.#commit(task, account, { promised: true });
    if ("message" in promised) task.entry.outcome = { kind: "refused", problem: promised.kind };
    else {
      task.entry.promised = promised.id;
      if (seconds !== undefined) this.launchLate(task, account, seconds, promised.id);
    }
    return promised;
  }

  /** Carries out a committed request again: a second machine for one launch, if one can be had. */
  repeat(task: LaunchTask, account: AccountState, seconds: number): void {
    this.#model.world.timeline.plan(this.#model.world.now + Math.ceil(seconds * 1000), {
      kind: "lateCommit",
      commit: () => void this.#commit(task, account),
    });
  }

  #commit(
    { combination, marker, id, parameters, entry }: LaunchTask,
    account: AccountState,
    how: Pick<Launch, "id" | "promised"> = {},
  ): Machine | RefusalReason {
    const origin = { by: "request", number: entry.number } as const;
    const chosen = { ...how, id: how.id ?? id };
    return this.#model.launch({ account, combination, marker, parameters, origin, ...chosen });
  }
}
