import type { Verdict } from "../play.ts";
import { play } from "../play.ts";
import type { Moment, Scenario } from "../scenario/scenario.ts";

/**
 * Leaves out what a failure does not need, while the same rule is still broken: kinds of events, single
 * events, then fleets and deployments. Most often the rest is the story itself.
 */
export async function shrink(scenario: Scenario, rule: string): Promise<Verdict> {
  let smallest = scenario;
  let verdict = await play(scenario);
  const attempt = async (smaller: Scenario): Promise<void> => {
    const played = await play(smaller);
    if (!played.violations.some((violation) => violation.rule === rule)) return;
    smallest = smaller;
    verdict = played;
  };
  const without = (leave: (event: Moment) => boolean): Scenario => ({
    ...smallest,
    events: smallest.events.filter((event) => !leave(event)),
  });
  for (const kind of new Set(scenario.events.map((event) => event.kind))) {
    await attempt(without((event) => event.kind === kind));
  }
  for (const event of [...smallest.events].reverse()) await attempt(without((other) => other === event));
  for (const { name } of scenario.deployments) {
    await attempt({
      ...without((event) => "deployment" in event && event.deployment === name),
      deployments: smallest.deployments.filter((each) => each.name !== name),
    });
  }
  for (const { name } of scenario.fleets.slice(1)) {
    await attempt({ ...smallest, fleets: smallest.fleets.filter((fleet) => fleet.name !== name) });
  }
  return verdict;
}

/** The end of the trace, near to the violation. */
export function storyOf({ trace, started, violations, scenario }: Verdict, lines: number): string {
  const [first] = violations;
  const clock = (at: number): string => `${((at - started) / 1000).toFixed(1).padStart(8)} s`;
  const near = first === undefined ? trace.length : trace.findLastIndex(({ at }) => at <= first.at) + 6;
  const shown = trace.slice(Math.max(0, near - lines), near);
  const { wire, tenure, unnamedEnd, latencyMs, ledger } = scenario;
  return [
    `${scenario.name}: wire ${wire}, ${tenure} account, ${ledger} ledger, latency ${latencyMs} ms${unnamedEnd ? ", unnamed ends" : ""}`,
    ...shown.map(({ at, who, what }) => `${clock(at)}  ${who.padEnd(16)} ${what.slice(0, 200)}`),
    ...violations.slice(0, 5).map(({ rule, at, what }) => `${clock(at)}  BROKEN ${rule}: ${what}`),
  ].join("\n");
}
