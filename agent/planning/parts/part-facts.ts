import type { OfferedRow, Portion } from "../../../ledger/rows.ts";
import type { Held } from "./part-held.ts";

/** One part of a fleet, as whoever chooses among the parts sees it. */
export interface PartFacts {
  readonly name: string;
  readonly portion: Portion;
  readonly held: Held;
  /** What more can be had there now; undefined: nobody has said so lately. */
  readonly offered: OfferedRow | undefined;
  /** It is to have nothing: what is free of it goes to the others. */
  readonly isLeaving: boolean;
  /** For good: it gives back all that it has. */
  readonly isRemoved: boolean;
  /** Its machines stay until others run in their place, as far as the surge of the whole allows. */
  readonly isPatient: boolean;
  /** GPUs that it has in the place of some of a leaving part. */
  readonly ahead: number;
  /** GPUs there that are being stopped. */
  readonly stopping: number;
  /** GPUs that certainly work there now. */
  readonly serves: number;
  /** What may be stopped there, and GPUs that were given back, in the order in which they go. Empty where the whole has one size. */
  readonly goes: readonly Going[];
}

/** A machine that may be stopped, or GPUs that are wanted no more. */
export interface Going {
  readonly gpus: number;
  /** It goes before those of a higher number; by the first that differs. */
  readonly order: readonly number[];
}
