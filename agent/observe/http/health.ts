import type { Keeper } from "../../../launch/keeper.ts";
import { elapsed } from "../../../ledger/instant.ts";
import { allowedDelay } from "../../fleet/agent-alive.ts";
import type { Pulse } from "./pulse.ts";

export interface Health {
  readonly ok: boolean;
  /** One line: what is so, and how old. It stands open to whoever can reach the port, so it names nothing. */
  readonly text: string;
}

/** The loop beats: a process that hangs is to be restarted. A service that is down is no reason for that. */
export function healthOf(keeper: Pick<Keeper, "settings">, pulse: Pulse): Health {
  const ok = pulse.overdue() <= allowedDelay(keeper);
  return {
    ok,
    text: `${ok ? "ok" : "stuck"}: the loop came round ${seconds(pulse.age())} s ago`,
  };
}

/** What the loop depends on: the ledger can be read and written, and the newest believed list is fresh. */
export async function readinessOf(keeper: Keeper, pulse: Pick<Pulse, "failure">): Promise<Health> {
  if (pulse.failure?.ledger) return { ok: false, text: "not ready: the ledger cannot be written" };
  try {
    const { account } = await keeper.ledger.read(keeper.account);
    if (account.list === null) return { ok: false, text: "not ready: no list has been taken yet" };
    const age = elapsed(account.list, keeper.clock.now());
    const ok = age <= allowedDelay(keeper);
    return {
      ok,
      text: `${ok ? "ready" : "not ready"}: the newest list was taken ${seconds(age)} s ago`,
    };
  } catch {
    // Why, with the path of the ledger, is in the log and no business of whoever probes.
    return { ok: false, text: "not ready: the ledger cannot be read" };
  }
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(1);
}
