import type { Combination } from "../../service/contract.ts";

/** What may go wrong in a case. Each costs one of the case's faults. */
export type Fault =
  /** A POST that is not answered in time, or by an error: it may make its machine later, or never. */
  | "adrift"
  /** A machine that lists do not show yet. */
  | "lag"
  /** A definite refusal. */
  | "rejected"
  /** `offer_cooling_down`. */
  | "cooling"
  /** Nothing left this machine. */
  | "notSent"
  /** A process dies, and comes back as another one. */
  | "crash"
  /** A process stands still, but not between its last look and its POST. */
  | "pause"
  /** ... and there, too: its POST may leave long after everybody gave it up. */
  | "pauseAnywhere"
  /** The machine that all processes run on is booted anew. */
  | "reboot"
  /** A list that is stored long after the service wrote it. */
  | "slowList"
  /** A list that lacks one machine. */
  | "cutList"
  /** A machine fails. */
  | "fail"
  /** A stop that is not answered: carried out, or not. */
  | "stop";

/** One small world, all of whose states are walked through. */
export interface Case {
  readonly name: string;
  /** One entry for each slot: what it wants. */
  readonly slots: readonly Combination[];
  /** How many faults may happen in all. */
  readonly faults: number;
  readonly kinds: readonly Fault[];
  /** Processes on the one ledger. */
  readonly processes: number;
  readonly tenure: "exclusive" | "shared";
  /** What the service shows of a launch, and whether an answered launch has shown it back already. */
  readonly shows: "nothing" | "combination" | "marker";
  readonly proven: boolean;
  /**
   * Whether a POST makes its machine, and lists show it, within the POST's timeout and the settle time, as the design
   * assumes. Then no wish may ever have two machines. Else they come whenever they like, and only the end counts.
   */
  readonly prompt: boolean;
  /** Machines that somebody else launches. */
  readonly strangers: number;
  /** How many slots Pulumi deletes, with whatever is under way in them. */
  readonly destroys: number;
  /** How many slots Pulumi replaces: a new one is filled, then the old one deleted. */
  readonly replaces: number;
  /** A person says whose a machine is, whenever one is reported; always rightly. */
  readonly person: boolean;
}
