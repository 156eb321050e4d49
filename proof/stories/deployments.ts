import type { Scenario } from "../scenario/scenario.ts";
import { HOST_DIES, late, lost, run, story, WEB0 } from "./moments.ts";

/** Deployments of Pulumi. */
export const DEPLOYMENTS: readonly Scenario[] = [
  story("destroyed-before-its-answer", WEB0, [late(0, 60), HOST_DIES, run(5, "up"), run(20, "destroy")]),
  // The ledger holds its machine, and Pulumi makes another slot.
  story("taken-out-of-the-state", { ...WEB0, launchesAtMost: 1 }, [
    run(5, "up"),
    { at: 200, kind: "stateDelete", deployment: "web0" },
    run(201, "up"),
  ]),
  story("replaced-by-pulumi", WEB0, [run(5, "up"), run(200, "replace")]),
  story("destroyed-and-only-inferred", { ...WEB0, tenure: "shared", latencyMs: 1_000 }, [
    lost(0),
    run(5, "up"),
    run(300, "destroy"),
  ]),
  // Its host dies with the answer. The next command gets another ledger, or another account's key.
  ...(["newLedger", "otherKey"] as const).map((kind) =>
    story(kind === "newLedger" ? "destroyed-by-another-ledger" : "destroyed-by-another-key", WEB0, [
      HOST_DIES,
      run(5, "up"),
      { at: 200, kind },
      run(201, "destroy"),
    ]),
  ),
  // Both, for a machine that is in the state: only the state names its account.
  story("destroyed-by-another-ledger-and-key", WEB0, [
    run(5, "up"),
    { at: 200, kind: "newLedger" },
    { at: 200, kind: "otherKey" },
    run(201, "destroy"),
  ]),
  story("other-triggers-of-a-deployment", { ...WEB0, launchesAtLeast: 2, launchesAtMost: 2 }, [
    run(5, "up"),
    { at: 200, kind: "program", deployment: "web0", triggers: "two" },
    run(201, "up"),
  ]),
  // The launch never sends this parameter, so no other machine is needed.
  story("other-parameters-that-are-not-sent", { ...WEB0, launchesAtMost: 1 }, [
    run(5, "up"),
    { at: 200, kind: "program", deployment: "web0", parameters: { note: "another one" } },
    run(201, "up"),
  ]),
];
