import { look } from "../../../launch/index.ts";
import { elapsed, type Instant } from "../../../ledger/index.ts";
import type { Session } from "../session/environment.ts";
import type { Progress } from "../session/progress.ts";
import { outlive, type WaitLimit } from "../session/wait-limit.ts";

/**
 * Looks for a machine that the state names and this ledger may never have seen. True: the service shows it,
 * and the ledger has its row. False: two full lists some time apart lack it, and so does a look at its id.
 * One list proves nothing. A new ledger has no row to remember an absence, and the next process may have
 * another new ledger: so it waits here.
 */
export async function isThere(
  { keeper, lists }: Session,
  id: string,
  tell: Progress,
  wait: WaitLimit,
): Promise<boolean> {
  const { ledger, account, clock, service, settings } = keeper;
  const find = async () => {
    const { account: now, deployments } = await ledger.read(account);
    return { found: deployments.some((row) => row.id === id), distrusted: now.doubt !== null };
  };
  let lacking: Instant | undefined;
  for (;;) {
    const begun = clock.now();
    let asked = false;
    await outlive(async () => {
      await lists.look();
      if (service.abilities.get && !(await find()).found) await look(keeper, id, wait.signal);
      asked = true;
    }, tell);
    const { found, distrusted } = await find();
    if (found) return true;
    if (asked && !distrusted) {
      if (lacking !== undefined && elapsed(lacking, begun) >= settings.gone) return false;
      lacking ??= begun;
    }
    tell(`${id} is not shown by the service just now: looking again before that is taken for its end`);
    wait.check(`${id} is not shown by the service, though it shows every deployment whatever its status,`);
    await clock.sleep(settings.poll, wait.signal);
  }
}
