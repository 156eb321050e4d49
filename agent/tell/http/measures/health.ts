import type { Keeper } from "../../../../launch/keeper.ts";
import { elapsed } from "../../../../ledger/instant.ts";
import { allowedDelay } from "../../../fleet/phase/agent-alive.ts";
import type { Pulse } from "./pulse.ts";

export interface Health {
  readonly ok: boolean;
  /** One line: the state and its age. Everybody who reaches the port can read it, so it names nothing. */
  readonly text: string;
}

/** Whether the loop still comes round; if not, restart the process. A service that is down is no reason. */
export function healthOf(keeper: Pick<Keeper, "settings">, pulse: Pulse): Health {
  const ok = pulse.overdue() <= allowedDelay(keeper);
  return { ok, text: `${ok ? "ok" : "stuck"}: the loop came round ${seconds(pulse.age())} s ago` };
}

/**
 * Whether the ledger can be read and written, and whether the newest believed list is fresh. A standby is ready: a
 * service manager that waits for it before it ends the old agent must not wait for ever.
 */
export async function readinessOf(
  keeper: Keeper,
  pulse: Pick<Pulse, "failure" | "isStandby">,
): Promise<Health> {
  if (pulse.failure?.ledger) return { ok: false, text: "not ready: the ledger cannot be written" };
  try {
    const { account } = await keeper.ledger.read(keeper.account);
    if (pulse.isStandby) return { ok: true, text: "standby: another agent keeps the account" };
    if (account.list === null) return { ok: false, text: "not ready: no list has been taken yet" };
    const age = elapsed(account.list, keeper.clock.now());
    const ok = age <= allowedDelay(keeper);
    return { ok, text: `${ok ? "ready" : "not ready"}: the newest list was taken ${seconds(age)} s ago` };
  } catch {
    // The reason holds the path of the ledger. It is in the log, and not for everybody who probes.
    return { ok: false, text: "not ready: the ledger cannot be read" };
  }
}

function seconds(ms: number): string {
  return (ms / 1000).toFixed(1);
}
