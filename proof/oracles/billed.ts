import type { TruthMachine } from "../../simulator/index.ts";

const HOUR = 3_600_000;
/** The specification's, where the wire profile says nothing else: hours as they begin. */
const HOURLY = { unitMs: HOUR, minimumMs: HOUR };

function termsOf({ statement }: TruthMachine): {
  readonly unitMs: number;
  readonly minimumMs: number;
} {
  return statement.terms ?? HOURLY;
}

/** The price of the time begun until `at`, without refunds; `price` an hour replaces the machine's own. */
export function timeBegun(
  machine: TruthMachine,
  at: number,
  price = Number(machine.statement.pricePerHour),
): number {
  const { unitMs, minimumMs } = termsOf(machine);
  const lasted = Math.min(machine.endedAt ?? at, at) - machine.committedAt;
  return (Math.max(minimumMs, (Math.floor(lasted / unitMs) + 1) * unitMs) / HOUR) * price;
}

/** How far ahead of its last affordable time an owner may be drained: a paid hour, or what a stop takes with what is saved before it. */
export function timeAhead(
  machine: TruthMachine,
  saveMs: number,
  price = Number(machine.statement.pricePerHour),
): number {
  return price * Math.min(1, Math.max(termsOf(machine).unitMs, HOUR / 6 + saveMs) / HOUR);
}
