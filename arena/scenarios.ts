import type { Simulation } from "../simulator/simulation.ts";

/* What services did to their users, as they told it in public. Times are the service's, in seconds. */

export interface Step {
  readonly at: number;
  /** GPUs that are wanted from now on. */
  readonly wants?: number;
  readonly happens?: (simulation: Simulation) => void;
}

export interface Scenario {
  readonly name: string;
  readonly says: string;
  readonly steps: readonly Step[];
  /** From then on nothing is wanted, and what lives on is left over. */
  readonly endsAt: number;
}

const GPUS = 4;
const atStart = (happens: (simulation: Simulation) => void): Step => ({ at: 0, wants: GPUS, happens });

export const SCENARIOS: readonly Scenario[] = [
  {
    name: "error-and-a-machine",
    says: "two launches are answered by HTTP 500, and made a machine each",
    steps: [
      atStart(({ simulator: { control } }) =>
        control.faults.next("launch", { kind: "errorAfter", status: 500 }, { times: 2 }),
      ),
    ],
    endsAt: 900,
  },
  {
    name: "no-answer",
    says: "the first three launches get no answer; two of them made a machine, one of these half a minute later",
    steps: [
      atStart(({ simulator: { control } }) => {
        control.faults.next("launch", { kind: "dropAfter" });
        control.faults.next("launch", { kind: "commitLate", seconds: 30 });
        control.faults.next("launch", { kind: "dropBefore" });
      }),
    ],
    endsAt: 1200,
  },
  {
    name: "rented-twice",
    says: "a gateway sends two launches on twice",
    steps: [
      atStart(({ simulator: { control } }) =>
        control.faults.next("launch", { kind: "commitTwice", seconds: 5 }, { times: 2 }),
      ),
    ],
    endsAt: 900,
  },
  {
    name: "empty-list",
    says: "for three minutes every list is empty, as of an endpoint that was retired",
    steps: [
      { at: 0, wants: GPUS },
      { at: 360, happens: ({ simulator: { control } }) => control.hideAccount(true) },
      { at: 540, happens: ({ simulator: { control } }) => control.hideAccount(false) },
    ],
    endsAt: 1200,
  },
  {
    name: "id-that-never-appears",
    says: "a launch is accepted with an id that nothing ever shows; its machine comes a minute later under another one",
    steps: [
      atStart(({ simulator: { control } }) => control.faults.next("launch", { kind: "vanish", seconds: 60 })),
    ],
    endsAt: 1200,
  },
  {
    name: "deletion-that-does-nothing",
    says: "half of the GPUs are wanted no more, and the first two deletions are answered as done, and are not",
    steps: [
      { at: 0, wants: GPUS },
      {
        at: 360,
        wants: GPUS / 2,
        happens: ({ simulator: { control } }) =>
          control.faults.next("stop", { kind: "ignore" }, { times: 2 }),
      },
    ],
    endsAt: 1200,
  },
  {
    name: "launch-storm",
    says: "for three minutes each launch makes its machine and is answered by HTTP 503, and lists are a minute old",
    steps: [
      atStart(({ simulator: { control } }) => {
        control.faults.chance("launch", [{ fault: { kind: "errorAfter", status: 503 }, probability: 1 }]);
        control.faults.chance("deployments", [{ fault: { kind: "lag", seconds: 60 }, probability: 1 }]);
      }),
      {
        at: 180,
        happens: ({ simulator: { control } }) => {
          control.faults.chance("launch", []);
          control.faults.chance("deployments", []);
        },
      },
    ],
    endsAt: 1500,
  },
];
