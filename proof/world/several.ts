import type { FleetDeclaration } from "../../agent/fleet/declare/fleets.ts";
import {
  minus,
  NOTHING,
  partName,
  plus,
  portionOf,
  rangeOfWhole,
  wholeOf,
} from "../../agent/fleet/phase/part.ts";
import { CHOSEN_POLLS } from "../../agent/planning/holds/fleet-holds.ts";
import { DEFAULT_SETTINGS } from "../../launch/index.ts";
import type { MemoryLedger } from "../../ledger/memory/memory-ledger.ts";
import { fleetOwner } from "../../ledger/owner.ts";
import type { Truth } from "../../simulator/index.ts";
import type { Scenario } from "../scenario/scenario.ts";
import type { Recorder } from "./recorder.ts";

/** A fleet as one of the services has it. */
export function partOf<F extends Pick<FleetDeclaration, "name">>(
  fleet: F,
  { services, atLeast }: Scenario,
  service = "",
): F & Pick<FleetDeclaration, "part"> {
  if (!services) return fleet;
  const name = partName(fleet.name, service, services.indexOf(service));
  return { ...fleet, name, part: { of: fleet.name, atLeast } };
}

/**
 * What a metric or a person asks for no more, in milliseconds: the account of another part knows of it once a share is given back there,
 * and launches by an older choice for three polls at most.
 */
export function fallError({ services }: Scenario): number {
  return services ? (CHOSEN_POLLS + 1) * DEFAULT_SETTINGS.poll : 0;
}

/** The truth of several services as that of one. `arrivals`: at which of them each launch arrived, in order. */
export function mergedTruth(truths: readonly Truth[], arrivals: readonly number[]): Truth {
  const [first] = truths;
  if (!first) throw new Error("a world has a service");
  /** By service: the number among all launches of each of its own. */
  const numbers = truths.map((): number[] => []);
  for (const [index, at] of arrivals.entries()) numbers[at]?.push(index + 1);
  const launches = arrivals.map((at, index) => truths[at]?.launches[(numbers[at] ?? []).indexOf(index + 1)]);
  const machines = truths.flatMap(({ machines: own }, at) =>
    own.map((machine) => {
      const { origin } = machine;
      if (origin.by === "hand") return machine;
      return { ...machine, origin: { ...origin, number: numbers[at]?.[origin.number - 1] ?? 0 } };
    }),
  );
  const requests: Record<string, number> = {};
  for (const each of truths)
    for (const [kind, count] of Object.entries(each.requests)) requests[kind] = (requests[kind] ?? 0) + count;
  return {
    ...first,
    launches: launches.filter((launch) => launch !== undefined),
    machines,
    requests: requests as Truth["requests"],
    faults: truths.flatMap(({ faults }) => faults),
    accounts: truths.flatMap(({ accounts }) => accounts),
  };
}

/** Adds up the parts of a fleet at each commit. */
export class Portions {
  readonly #ledger: MemoryLedger;
  readonly #recorder: Recorder;
  readonly #now: () => number;
  readonly #accounts = new Set<string>();
  /** Nothing of a wish that was lowered is left, or on its way: no part has more than its portion, but for what it stops. */
  areSettled = true;

  constructor(ledger: MemoryLedger, recorder: Recorder, now: () => number) {
    this.#ledger = ledger;
    this.#recorder = recorder;
    this.#now = now;
  }

  /** A commit changed fleets of this account, or machines. */
  check(account: string): void {
    this.#accounts.add(account);
    const tables = [...this.#accounts].map((key) => this.#ledger.readNow(key));
    const rows = tables.flatMap(({ fleets }) => fleets);
    const staying = tables.flatMap(({ deployments }) =>
      deployments.filter(({ end, stop }) => end === null && stop === null),
    );
    const parts = rows.flatMap((row) => (row.part ? [{ row, part: row.part }] : []));
    this.areSettled = parts.every(({ row, part }) => {
      const { gpus, overshoot } = portionOf(row, part);
      const own = staying.filter(({ owner }) => owner === fleetOwner(row.name));
      const has = own.reduce((sum, machine) => sum + (machine.gpus ?? 0), 0);
      return part.given.length === 0 && gpus >= 0 && has <= gpus + overshoot;
    });
    const first = parts.find(({ row, part }) => row.name === part.of);
    if (!first) return;
    const taken = (to: string, from: string) => rows.find(({ name }) => name === to)?.part?.taken[from] ?? 0;
    const away = parts.flatMap(({ row, part }) =>
      part.given.filter(({ to, sequence }) => sequence > taken(to, row.name)).map(({ amount }) => amount),
    );
    const has = parts.map(({ row, part }) => portionOf(row, part));
    const range = rangeOfWhole(first.part);
    const { size } = first.part;
    if (range && size !== undefined && (size < range.min || size > range.max))
      this.#recorder.surpluses.push({
        at: this.#now(),
        what: `${first.part.of} is to have ${size} GPUs, and ${range.min} to ${range.max} are its bounds`,
      });
    const over = minus([...has, ...away].reduce(plus, NOTHING), wholeOf(first.part));
    if (Object.values(over).every((each) => Number(each) === 0)) return;
    const what = `of ${first.part.of} there is more than the whole, or less: ${JSON.stringify(over)}`;
    this.#recorder.surpluses.push({ at: this.#now(), what });
  }
}
