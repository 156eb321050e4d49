import { hostname } from "node:os";
import { contextOf, type Keeper } from "../../../../launch/keeper.ts";
import { elapsed, type Instant } from "../../../../ledger/instant.ts";
import { readDraft } from "../../../../ledger/read-draft.ts";
import { FleetkeeperError } from "../../../../service/contract/errors.ts";
import { isAgentAlive, leaseOf } from "../../../fleet/phase/agent-alive.ts";
import type { Reloader } from "../../../reconcile/reload.ts";

/*
 * On a ledger that hosts share, agents of an account need the same fleet file. Whoever keeps the account declares
 * its own: one that lacks a fleet would stop that fleet's machines.
 */

const SAME = "Give all agents of an account the same fleet file, at the same path.";

/**
 * For an agent that stands by: looks at most once a poll at what its own file would change, and tells it. Undefined:
 * nothing. It is told once two looks have found the same: files of several hosts are not changed in one moment.
 */
export function fileComparison(
  { clock, settings }: Pick<Keeper, "clock" | "settings">,
  reloader: Reloader,
  tell: (text: string | undefined) => void,
): () => void {
  let looked: Instant | undefined;
  let before: string | undefined;
  let told: string | undefined;
  return () => {
    const now = clock.now();
    if (looked && elapsed(looked, now) < settings.poll) return;
    looked = now;
    void difference(reloader).then((text) => {
      if (text === before && text !== told) {
        told = text;
        tell(text);
      }
      before = text;
    });
  };
}

async function difference(reloader: Reloader): Promise<string | undefined> {
  try {
    const changes = await reloader.changes();
    if (!changes || changes.texts.length === 0) return undefined;
    return `if this agent took over now, its own fleet file would change what is kept: ${changes.texts.join("; ")}. ${SAME}`;
  } catch (error) {
    // Whoever renews the lease meets the same ledger, and reports.
    if (!(error instanceof FleetkeeperError) || error.code !== "CONFIG") return undefined;
    return `this agent cannot take over with its own fleet file: ${error.message} ${SAME}`;
  }
}

/**
 * One round declares the fleet file of this host. Throws CONFIG if an agent of another host keeps the account and
 * another file: it would go on with what this one says, and not know it.
 */
export async function refuseOtherFile(keeper: Keeper, reloader: Reloader): Promise<void> {
  const { ledger, account } = keeper;
  if (!ledger.leases) return;
  const draft = await readDraft(keeper);
  const { agent } = draft.account;
  if (!agent || agent.host === hostname()) return;
  if (!isAgentAlive(draft, contextOf(keeper), await leaseOf(ledger, account))) return;
  const changes = await reloader.changes();
  if (!changes || changes.isFirst || changes.texts.length === 0) return;
  throw new FleetkeeperError(
    "CONFIG",
    `The agent on ${agent.host} keeps this account, and the fleet file of this host would change what it keeps: ` +
      `${changes.texts.join("; ")}. Nothing was changed. ${SAME}`,
  );
}
