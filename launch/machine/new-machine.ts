import type { Draft } from "../../ledger/draft.ts";
import type { DeploymentRow } from "../../ledger/rows.ts";
import type { Context } from "../facts/context.ts";

/** A machine that nothing has shown before. Its id gets its sequence number. */
export function newMachineRow(draft: Draft, id: string, context: Context): DeploymentRow {
  const sequence = draft.account.sequence + 1;
  draft.putAccount({ ...draft.account, sequence });
  return {
    id,
    sequence,
    firstSeen: context.now,
    lastSeen: null,
    status: "",
    statusSince: context.now,
    offer: null,
    provider: null,
    location: null,
    marker: null,
    gpus: null,
    pricePerHour: null,
    createdAt: null,
    failureCode: null,
    failureReason: null,
    suggestedAction: null,
    stopReason: null,
    connection: null,
    claim: null,
    owner: null,
    intent: null,
    claimed: null,
    stop: null,
    unnamedLists: 0,
    stoppingSeen: false,
    young: true,
    missing: null,
    end: null,
    ended: null,
  };
}
