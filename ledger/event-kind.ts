/**
 * Every kind of event that is written. Whatever says something of each kind (how loud it is, whom it is told, how it looks) is a
 * `Record` over these, so that a kind that was forgotten somewhere does not compile.
 */
export type EventKind =
  | "launch"
  | "refused"
  | "cooldown"
  | "unknown"
  | "claimed"
  | "absent"
  | "disputed"
  | "unclaimed"
  /** An id shows another offer and another size than it did. */
  | "reused"
  | "stuck"
  | "held"
  /** A fleet lost so much to machines that did not live that it launches no more. */
  | "churned"
  | "notReady"
  /** A machine came back from its end once more: launches of its owner wait for a person. */
  | "returned"
  | "running"
  /** A machine shows another number of GPUs than was expected. */
  | "otherGpus"
  /** A machine costs more than the price that a person wrote for it. */
  | "dearer"
  | "failed"
  /** A text for the service's support, to be sent as it is. */
  | "support"
  | "interrupted"
  | "stopped"
  | "gone"
  | "stop"
  | "gaveBack"
  | "halted"
  /** The service shows a machine by a record that cannot be read, or not all of it. */
  | "badRecord"
  | "distrust"
  | "adopted"
  | "disowned"
  | "runway"
  /** The ledger could not be written for a while. */
  | "unwritable"
  /** No list was believed for long; the service refuses the key; a list was believed again after either. */
  | "unreadable"
  | "keyRefused"
  | "readable"
  /** A list is under way for longer than one poll interval. */
  | "slowList"
  | "paused"
  | "drained"
  | "resumed"
  | "renamed"
  | "tenure"
  /** A failure was put away. */
  | "seen"
  /** The fleet file was read anew, or cannot be. */
  | "reloaded"
  | "notReloaded";

/** What a table says of an event as it was stored; undefined: another version wrote a kind that this one does not know. */
export function ofKind<T>(table: Readonly<Record<EventKind, T>>, kind: string): T | undefined {
  return Object.hasOwn(table, kind) ? table[kind as EventKind] : undefined;
}
