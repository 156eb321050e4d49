import { storeCheck } from "../../../agent/planning/machines/readiness.ts";
import { contextOf } from "../../../launch/index.ts";
import type { DeploymentRow } from "../../../ledger/index.ts";
import { milliseconds } from "../../../service/text/duration.ts";
import type { DeploymentReady } from "../inputs/inputs.ts";
import type { Environment, Session } from "../session/environment.ts";
import type { Progress } from "../session/progress.ts";
import { outlive, startWaitLimit, type WaitLimit } from "../session/wait-limit.ts";
import { awaitRunning, type Waited } from "./await-running.ts";

/** Asks a running machine, once a list, until it is ready. It may end or fail meanwhile, as while it starts. */
export async function awaitReady(
  { ask }: Environment,
  session: Session,
  first: DeploymentRow,
  ready: DeploymentReady,
  tell: Progress,
  wait: WaitLimit,
): Promise<Waited> {
  const { keeper, lists } = session;
  const { id } = first;
  const within = startWaitLimit(keeper.clock, milliseconds(ready.within), wait.signal, "ready.within");
  for (;;) {
    const waited = await awaitRunning(session, id, tell, wait);
    if (!waited.running) return waited;
    const answer = await ask(waited.row, ready, wait.signal);
    wait.signal.throwIfAborted();
    const row = await keeper.ledger.decide(keeper.account, (draft) => {
      storeCheck(draft, id, answer, contextOf(keeper));
      return draft.deployments.ever(id) ?? waited.row;
    });
    if (answer.kind === "good") {
      tell(`${id} is ready`);
      return { row, running: true };
    }
    const what = `${id} runs and is not ready`;
    tell(`${what}: ${answer.why}`);
    within.check(what, answer.why);
    wait.check(what, answer.why);
    await outlive(() => lists.poll(wait.signal), tell);
  }
}
