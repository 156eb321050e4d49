import { isAgentAlive, leaseOf } from "../../../agent/index.ts";
import { contextOf } from "../../../launch/index.ts";
import { elapsed, readDraft } from "../../../ledger/index.ts";
import { FleetkeeperError } from "../../../service/contract/errors.ts";
import { amountText } from "../../../service/contract/money.ts";
import type { Properties } from "../inputs/resource-kind.ts";
import type { Session } from "../session/environment.ts";
import type { Progress } from "../session/progress.ts";
import { outlive, type WaitLimit } from "../session/wait-limit.ts";

/** Time between two looks at the ledger while an agent works. A look costs no request. */
const GLANCE_MS = 1_000;
/** How long nobody may keep an account of a ledger with leases until another agent has taken it over. */
const TAKEOVER_MS = 10_000;

/**
 * Gives the agent a moment. If none runs and `reconcile` is "inline", does one tick for this fleet in this
 * process, and only for this one: the ledger's other fleets are not this stack's. `accounts`: those of a fleet in several services.
 */
export async function reconcileOnce(
  session: Session,
  fleet: string,
  reconcile: "agent" | "inline",
  tell: Progress,
  { signal }: WaitLimit,
  accounts?: readonly string[],
): Promise<void> {
  const { clock, settings } = session.keeper;
  if (await isAnyAgentAlive(session, accounts)) {
    await clock.sleep(Math.min(GLANCE_MS, settings.poll), signal);
    return;
  }
  if (reconcile === "agent") {
    if (!(await isAgentFound(session, signal, accounts))) throw noAgent(session, accounts);
    return;
  }
  await outlive(
    async () => {
      const { wake } = await session.ticks(fleet, session.keeper.actor).next();
      await clock.sleep(wake, signal);
    },
    tell,
    () => clock.sleep(settings.poll, signal),
  );
}

/** True if an agent keeps one of these accounts, which are the session's own where none is named. */
export async function isAnyAgentAlive(
  { keeper }: Session,
  accounts: readonly string[] = [keeper.account],
): Promise<boolean> {
  const { ledger } = keeper;
  for (const account of accounts) {
    const draft = await readDraft({ ledger, account });
    if (isAgentAlive(draft, contextOf(keeper), await leaseOf(ledger, account))) return true;
  }
  return false;
}

/** True if an agent keeps one of them. Where agents stand by for each other, it waits until one has taken over. */
export async function isAgentFound(
  session: Session,
  signal: AbortSignal,
  accounts?: readonly string[],
): Promise<boolean> {
  const { clock, ledger } = session.keeper;
  const begun = clock.now();
  while (!(await isAnyAgentAlive(session, accounts))) {
    if (!ledger.leases || elapsed(begun, clock.now()) >= TAKEOVER_MS) return false;
    await clock.sleep(GLANCE_MS, signal);
  }
  return true;
}

/** Tells what nobody will do without an agent: keep the fleet, or end it or a machine at its deadline or total. */
export async function tellUnkept(
  session: Session,
  props: Properties,
  tell: Progress,
  accounts?: readonly string[],
): Promise<void> {
  if (await isAnyAgentAlive(session, accounts)) return;
  const { until, life, budget, gpus, reconcile, awaitReady } = props;
  const { total } = (budget ?? {}) as Properties;
  const limits = [
    ...(until ? [`until ${until}`] : []),
    ...(life ? [`the end of its life of ${life}`] : []),
    ...(gpus && total
      ? [`a total of ${amountText(String(total), session.keeper.service.abilities.currency)}`]
      : []),
  ];
  if (limits.length > 0)
    tell(
      `no agent keeps the ledger ${session.location}: at ${limits.join(" and ")} nothing is stopped, and it bills on until the ` +
        "next pulumi up or destroy. Start fleetkeeper agent with the same base URL, key, profile and ledger",
    );
  else if (gpus && reconcile !== "inline" && awaitReady !== false) tell(noAgent(session, accounts).message);
}

export function noAgent({ location }: Session, accounts?: readonly string[]): FleetkeeperError {
  if (accounts)
    return new FleetkeeperError(
      "CONFIG",
      `no agent keeps any service of this fleet in the ledger ${location} just now. Start the one whose fleet file has them: ` +
        "fleetkeeper agent --config FILE",
    );
  return new FleetkeeperError(
    "CONFIG",
    `no agent keeps the fleets of the ledger ${location}. Start one with the same base URL, key, profile and ` +
      'ledger: fleetkeeper agent. Or set reconcile: "inline", and pulumi up itself brings the fleet about, once.',
  );
}
