import type { Share } from "../arguments.ts";
import { isInShare } from "../arguments.ts";

/** A piece of the proof: one command in its own process, of about a minute or less. */
export interface Part {
  /** Names the part in the journal and the output. Unique. */
  readonly name: string;
  /** What node is started with, from the top of the clone. */
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** `npm test` runs it too. */
  readonly inSample: boolean;
}

/** Which parts of the proof to run. */
export interface Choice {
  /** Those that `npm test` runs, or the others; undefined: all. */
  readonly only?: "sample" | "rest" | undefined;
  readonly shard?: Share | undefined;
}

export function chosenParts(parts: readonly Part[], { only, shard }: Choice): readonly Part[] {
  const wanted = parts.filter(({ inSample }) => only === undefined || inSample === (only === "sample"));
  if (shard === undefined) return wanted;
  return wanted.filter((_, at) => isInShare(shard, at));
}
