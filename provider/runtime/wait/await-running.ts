import { contextOf, isPastDeadline, mayStop, unshownText } from "../../../launch/index.ts";
import { type DeploymentRow, slotOwner } from "../../../ledger/index.ts";
import type { ActiveState } from "../../../service/contract/contract.ts";
import { undecided } from "../ownership/doubt.ts";
import { cannotStop } from "../ownership/owned.ts";
import type { Session } from "../session/environment.ts";
import type { Progress } from "../session/progress.ts";
import { outlive, type WaitLimit, WaitTimeout } from "../session/wait-limit.ts";
import { adviceOf, stopText } from "../stop/stop-text.ts";
import { endText } from "./failure-text.ts";

export type Waited =
  | { readonly row: DeploymentRow; readonly running: true }
  | { readonly row: DeploymentRow; readonly running: false; readonly why: string };

const WAY_ON = "The next pulumi up replaces it.";
const TOO_LATE = "Its deadline (until) has passed: with another one, the next pulumi up replaces it.";

/** Steps on the way to running are not told: with many machines they would bury what matters. */
const ON_ITS_WAY: readonly string[] = ["initializing", "provisioning", "connecting"] satisfies ActiveState[];

/** Reads full lists until the machine runs or has ended. If it is being stopped, waits for its end. */
export async function awaitRunning(
  { keeper, lists }: Session,
  id: string,
  tell: Progress,
  waitLimit: WaitLimit,
): Promise<Waited> {
  for (;;) {
    const { deployments, slots } = await keeper.ledger.read(keeper.account);
    const row = deployments.find((each) => each.id === id);
    if (row === undefined) throw new Error(`no deployment ${id} in the ledger`);
    if (row.end !== null) {
      const slot = slots.find((each) => slotOwner(each.id) === row.owner);
      const wayOn = slot && isPastDeadline(slot, contextOf(keeper)) ? TOO_LATE : WAY_ON;
      return { row, running: false, why: `${endText(row, keeper.service)} ${wayOn}` };
    }
    if (row.claim === "disputed" || row.claim === "foreign")
      return { row, running: false, why: turnedOut(row) };
    if (row.status === "running" && row.stop === null) return { row, running: true };
    const more = row.stop ? `, and is being stopped: ${row.stop.why}` : "";
    if (more !== "" || row.missing || !ON_ITS_WAY.includes(row.status))
      tell(`${id} is ${row.status}${more}${row.missing ? ", and the newest list lacks it" : ""}`);
    const unshown = unshownText(row, contextOf(keeper));
    if (unshown !== undefined) tell(unshown);
    waitLimit.check(`${id} is still ${row.status}`);
    await outlive(() => lists.poll(waitLimit.signal), tell);
  }
}

/**
 * Reads full lists until the machine has ended; these rounds stop what is past its deadline. A machine that
 * may not or cannot be stopped from here is not waited for.
 */
export async function awaitEnd(
  { keeper, lists }: Session,
  slot: string,
  id: string,
  tell: Progress,
  waitLimit: WaitLimit,
): Promise<DeploymentRow> {
  let look = (): Promise<void> => lists.next();
  for (;;) {
    await outlive(look, tell, () => keeper.clock.sleep(keeper.settings.poll, waitLimit.signal));
    const { deployments } = await keeper.ledger.read(keeper.account);
    const row = deployments.find((each) => each.id === id);
    if (row === undefined) throw new Error(`no deployment ${id} in the ledger`);
    if (row.end !== null) return row;
    if (row.claim === "foreign") throw new WaitTimeout(turnedOut(row));
    if (!mayStop(row)) throw new WaitTimeout(undecided(slotOwner(slot), [row]).message);
    if (!keeper.service.abilities.stop) throw new WaitTimeout(cannotStop(id).message);
    tell(`its deadline has passed: ${stopText(row)}`);
    waitLimit.check(`${id} is still ${row.status}, and its deadline has passed,`, adviceOf([row]));
    look = () => lists.poll(waitLimit.signal);
  }
}

function turnedOut({ id, claim }: DeploymentRow): string {
  return `${id} turned out to be ${claim}: see fleetkeeper status`;
}
