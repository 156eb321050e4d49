import type { Totals } from "./seeds.ts";

/** The figures of a run, as people read them. */
export function figuresOf(totals: Totals): string {
  const days = totals.simulatedMs / 86_400_000;
  const rows: readonly (readonly [string, string])[] = [
    ["seeds", count(totals.seeds)],
    ["failed seeds", count(totals.failed.length)],
    ["simulated time", days >= 2 ? `${days.toFixed(1)} days` : `${(days * 24).toFixed(1)} hours`],
    ["requests", count(totals.requests)],
    ["launches sent", `${count(totals.launches)} (${listed(totals.outcomes)})`],
    ["effects of our processes", count(totals.counts.effects ?? 0)],
    ["processes killed", count(totals.counts.crashes ?? 0)],
    ["processes paused", count(totals.counts.pauses ?? 0)],
    ["failures of the ledger", count(totals.counts.ledgerErrors ?? 0)],
    ["restarts of the agent", count(totals.counts.restarts ?? 0)],
    ["faults injected", count(Object.values(totals.faults).reduce((sum, each) => sum + each, 0))],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  const faults = Object.entries(totals.faults)
    .sort(([one], [other]) => one.localeCompare(other))
    .map(([name, times]) => `  ${name.padEnd(width - 2)}  ${count(times)}`);
  const reached = Object.entries(totals.reached).sort(([, one], [, other]) => one - other);
  const steps = Object.entries(totals.steps).sort(([, one], [, other]) => other - one);
  const states = reached.map(([state, plays]) => `${state} ${count(plays)}`);
  return [
    ...rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`),
    ...faults,
    `steps of the model, and in brackets what is beside it: ${steps.map(([step, times]) => `${step} ${count(times)}`).join(", ")}`,
    `states, in so many plays: ${states.join(", ")}`,
  ].join("\n");
}

function count(value: number): string {
  return value.toLocaleString("en-US");
}

function listed(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .sort(([, one], [, other]) => other - one)
    .map(([name, times]) => `${count(times)} ${name}`)
    .join(", ");
}
