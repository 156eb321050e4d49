import type { DeploymentRow } from "../../../ledger/rows.ts";
import { type Ghost, ghostOf, type Launch } from "../ghost.ts";
import { type Trace, type Truly, trulyOf } from "../truly.ts";

/** What a POST comes to later. The launch that it is of now: what is still to come of two launches is exchanged. */
export interface Coming {
  readonly at: number;
  readonly by: string;
  readonly machine: string | undefined;
  of: string;
}

/** A play of a trace: what the model has, what the service truly did, and what is known of what the product did. */
export interface Playing {
  readonly scenario: Trace["scenario"];
  readonly truly: Truly;
  readonly ghost: Ghost;
  readonly byMarker: Map<string, Launch>;
  readonly machines: Map<string, DeploymentRow>;
  /** What others made, and a launch let go: it has shown that. */
  readonly letGo: Set<string>;
  /** Processes. */
  readonly ended: Set<string>;
  /** Markers of what is still to be sent. */
  readonly unsent: Set<string>;
  pending: Coming[];
  now: number;
}

export function playingOf(trace: Trace): Playing {
  const { recorder, scenario } = trace;
  return {
    scenario,
    truly: trulyOf(trace),
    ghost: ghostOf(scenario.wire),
    byMarker: new Map(),
    machines: new Map(),
    letGo: new Set(),
    ended: new Set(),
    unsent: new Set(recorder.posts.map(({ marker }) => marker)),
    pending: [],
    now: 0,
  };
}

/** The launch that stands for what no launch of ours made. */
export const others = (machine: string): string => `others ${machine}`;

export const isOfOthers = ({ ghost }: Playing, machine: string): boolean =>
  ghost.launches.has(others(machine));
