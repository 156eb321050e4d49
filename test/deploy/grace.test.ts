import { expect, it } from "vitest";
import { parse, parseAllDocuments } from "yaml";
import { DEFAULT_SETTINGS } from "../../launch/facts/context.ts";
import { read } from "./tool.ts";

/** Seconds that each way of running gives an agent to end in. */
const graces = {
  systemd: Number(/^TimeoutStopSec=(\d+)$/m.exec(read("deploy/systemd/fleetkeeper.service"))?.[1]),
  compose: Number.parseInt(
    parse(read("deploy/compose/compose.yaml"), { merge: true }).services.agent.stop_grace_period,
    10,
  ),
  kubernetes: parseAllDocuments(read("deploy/kubernetes/fleetkeeper.yaml"))
    .map((each) => each.toJS())
    .find(({ kind }) => kind === "Deployment").spec.template.spec.terminationGracePeriodSeconds,
};

it.each(Object.entries(graces))(
  "%s waits longer for an agent that ends than a launch may take",
  (_, seconds) => {
    expect(seconds * 1000).toBeGreaterThanOrEqual(DEFAULT_SETTINGS.postTimeout + 30_000);
  },
);
