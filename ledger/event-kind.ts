/**
 * Every kind of event that is written. What depends on the kind (how loud, who is told, how it looks) is a
 * `Record` over these, so a kind that was forgotten somewhere does not compile.
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
  /** A launch was accepted long ago with an id that nothing ever showed. */
  | "unshown"
  /** An id shows another offer and another size than it did. */
  | "reused"
  /** A machine was told to stop long ago, and lives on. */
  | "stuck"
  /** It is over after all. */
  | "unstuck"
  | "held"
  /** A fleet lost so much to machines that ended young that it launches no more. */
  | "churned"
  | "notReady"
  /** A try of a machine's setup failed, and another one follows; it is set up; it is not, and no other try follows. */
  | "setupTried"
  | "setUp"
  | "setupFailed"
  /** What replaced a machine was not ready in time. */
  | "updateFailed"
  | "idle"
  /** The metric that a fleet's size follows was not known for long; it is known again. */
  | "unmeasured"
  | "measured"
  /** A person asks for a number of a fleet's GPUs, or does no more. */
  | "asked"
  /** A fleet's work is done; it was not done by its deadline. */
  | "workDone"
  | "workMissed"
  /** A machine was bad for long by the fleet's health check; it is good again. */
  | "unhealthy"
  | "healthy"
  /** A machine bills and does not serve, by a state that the profile says to replace. */
  | "notServing"
  /** A machine came back from its end again. Its owner is held until a person has looked. */
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
  /** The service shows a machine with a record that cannot be read, or not in full. */
  | "badRecord"
  | "distrust"
  /** A command of the user's runs before a machine is stopped. It failed, or nobody waits for it any more. */
  | "stopHook"
  | "notSaved"
  /** A person holds a machine, or holds it no more. */
  | "keptBack"
  | "adopted"
  | "disowned"
  | "runway"
  /** Half, most or all of a limit over a label or the account is spent. */
  | "budget"
  /** The ledger could not be written for a while. */
  | "unwritable"
  /** No list was believed for long; the service refuses the key; a list was believed again. */
  | "unreadable"
  | "keyRefused"
  | "readable"
  /** A fleet in several services: one of them is out, or they count in several currencies. */
  | "serviceOut"
  /** A list is under way for longer than one poll interval. */
  | "slowList"
  /** An upgrade brought another profile of the same name. */
  | "profileChanged"
  | "paused"
  | "drained"
  /** A machine of a fleet was given back, and the fleet wants so much less. */
  | "lowered"
  | "resumed"
  | "renamed"
  | "tenure"
  /** A person has put a failure away. */
  | "seen"
  /** A share link to the status page was made, or ended. */
  | "shared"
  /** A fleet was declared, or changed, by the API. */
  | "declared"
  /** Something was ordered by the API that tells nothing else, such as a resume of what was not paused. */
  | "ordered"
  /** A token of the API was made or revoked. */
  | "token"
  /** The fleet file was read anew, or cannot be read. */
  | "reloaded"
  | "notReloaded"
  /** A target of notifications wants nothing more. */
  | "targetGone";

/** A table's entry for a stored event; undefined: a kind of another version, not known here. */
export function ofKind<T>(table: Readonly<Record<EventKind, T>>, kind: string): T | undefined {
  return Object.hasOwn(table, kind) ? table[kind as EventKind] : undefined;
}
