import { measuring } from "../../../ask/metric.ts";
import type { FleetDeclaration } from "../../../fleet/declare/fleets.ts";
import type { Measured } from "../../../fleet/size/metric.ts";
import type { CliContext } from "./cli-context.ts";
import { outsideAgent } from "./notifying.ts";

/** What the metrics of a file's fleets say now, by the names of the fleets; of one in several services, by that of the whole. */
export async function measuredOf(
  fleets: readonly FleetDeclaration[],
  cli: CliContext,
): Promise<ReadonlyMap<string, Measured>> {
  const asked = fleets.flatMap(({ name, part, source, wish: { metric } }) =>
    metric ? [{ name: part?.of ?? name, source, metric }] : [],
  );
  if (asked.length === 0) return new Map();
  const agent = outsideAgent(cli);
  try {
    const measure = measuring({ agent, environment: cli.environment });
    return new Map(
      await Promise.all(asked.map(async (each) => [each.name, await measure(each, cli.signal)] as const)),
    );
  } finally {
    await agent.destroy();
  }
}
