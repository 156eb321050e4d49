import type { Combination } from "../../service/contract/contract.ts";

/** What may go wrong in a case. Each costs one of the case's faults. */
export type Fault =
  /** A POST with no answer in time, or an error: it makes its machine later, or never. */
  | "adrift"
  /** A machine that lists do not show yet. */
  | "lag"
  /** A definite refusal. */
  | "rejected"
  /** `offer_cooling_down`. */
  | "cooling"
  /** No byte left this machine. */
  | "notSent"
  /** A process dies and starts again as another one. */
  | "crash"
  /** A process stands still, but not between its last look and its POST. */
  | "pause"
  /** A process stands still, there too: its POST may leave long after others gave it up. */
  | "pauseAnywhere"
  /** The computer of all processes boots anew. */
  | "reboot"
  /** A list that is stored long after the service wrote it. */
  | "slowList"
  /** A list that lacks one machine. */
  | "cutList"
  /** A machine fails. */
  | "fail"
  /** A stop without an answer, carried out or not. */
  | "stop";

/** One small world. All its states are walked through. */
export interface Case {
  readonly name: string;
  /** One entry for each slot: what it wants. */
  readonly slots: readonly Combination[];
  /** How many faults may happen in all. */
  readonly faults: number;
  readonly kinds: readonly Fault[];
  /** Processes on the one ledger. */
  readonly processes: number;
  /** Two: each process runs on a host of its own, and moments are by the ledger's clock, as each host knows it. */
  readonly hosts: 1 | 2;
  readonly tenure: "exclusive" | "shared";
  /** What the service shows of a launch, and if an answered launch has shown it already. */
  readonly shows: "nothing" | "combination" | "marker";
  readonly proven: boolean;
  /**
   * True: a POST makes its machine, and lists show it, within the POST's timeout plus the settle time, as the
   * design assumes. Then no wish may ever have two machines. False: they come at any time; the end is judged.
   */
  readonly prompt: boolean;
  /** Machines that somebody else launches. */
  readonly strangers: number;
  /** How many slots Pulumi deletes, whatever is under way in them. */
  readonly destroys: number;
  /** How many slots Pulumi replaces: it fills a new one, then deletes the old one. */
  readonly replaces: number;
  /** A person says whose each reported machine is, and is always right. */
  readonly person: boolean;
}
