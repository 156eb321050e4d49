import type { Context } from "../../launch/context.ts";
import { coolingFor } from "../../launch/cooling.ts";
import { neverShown } from "../../launch/never-shown.ts";
import { notStopping } from "../../launch/not-stopping.ts";
import { isUnresolved } from "../../launch/occupancy.ts";
import { haltsOf } from "../../launch/operator.ts";
import { refusalHalts } from "../../launch/refused.ts";
import { heldBy, whyHeldBy } from "../../launch/returned.ts";
import { isReused } from "../../launch/reused.ts";
import { isUnheld, toBeJudged } from "../../launch/slot.ts";
import { badRecordsOf, namelessText } from "../../launch/unread.ts";
import type { Draft } from "../../ledger/draft.ts";
import { elapsed } from "../../ledger/instant.ts";
import type { LeaseState } from "../../ledger/lease.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { slotOwner } from "../../ledger/owner.ts";
import { readDraft } from "../../ledger/read-draft.ts";
import { place } from "../../service/contract.ts";
import { formatUsd } from "../../service/money.ts";
import { agentAlive, allowedDelay, leaseOf } from "../fleet/agent-alive.ts";
import { isOver } from "../fleet/fleets.ts";
import { moneyOf } from "../fleet/money.ts";
import { shortRunway } from "../fleet/runway.ts";
import { spentBy } from "../fleet/spend.ts";
import { parseWish } from "../fleet/wish.ts";
import { matchingFleets } from "../planning/initial-adoption.ts";
import { fleetReport } from "./fleet-report.ts";
import { outageOf } from "./outage.ts";
import { calledName, nameOf, whoOwns } from "./owner-names.ts";
import { shortRow } from "./short-row.ts";

/** What `status --json` and `GET /api/status` say: the stable form for programs. */
export async function ledgerStatus(ledger: Ledger, context: Context) {
  const accounts: AccountStatus[] = [];
  const keys = (await ledger.accounts()).map(({ key }) => key);
  const leases = await ledger.leases?.look(keys);
  for (const key of keys) {
    const draft = await readDraft({ ledger, account: key });
    accounts.push(await statusIn(draft, leases?.get(key), ledger, context));
  }
  return { ledger: ledger.location, accounts };
}

export type AccountStatus = Awaited<ReturnType<typeof statusIn>>;

/** What the ledger knows of one account. */
export async function accountStatus(ledger: Ledger, key: string, context: Context): Promise<AccountStatus> {
  const draft = await readDraft({ ledger, account: key });
  return statusIn(draft, await leaseOf(ledger, key), ledger, context);
}

/** The same of a draft that was read before: what else its reader shows is of the same moment. `lease`: see `leaseOf`. */
export async function statusIn(
  draft: Draft,
  lease: LeaseState | undefined,
  ledger: Pick<Ledger, "events">,
  context: Context,
) {
  const { account } = draft;
  const head = accountHead(draft, lease, context);
  const toJudge = toBeJudged(draft, context.now);
  const fleets = [...draft.fleets.values()].filter((fleet) => !isOver(draft, fleet));
  const slots = [...draft.slots.values()].flatMap((slot) => {
    const rows = [...draft.deployments.of("livingOf", slotOwner(slot.id))];
    return rows.length > 0 ? [{ name: slot.name, deployments: rows.map((row) => shortRow(draft, row)) }] : [];
  });
  return {
    ...head,
    balance: account.balance && { amount: account.balance.amount, at: account.balance.begun.wall },
    runway: runwayOf(draft),
    outage: outageOf(account) ?? null,
    /** Since when lists take longer than one poll interval. */
    slowSince: account.slow?.since?.wall ?? null,
    halted: [...haltsOf(account), ...refusalHalts(draft, context)],
    /** Machines that came back from their end, so that their owners are held. */
    returned: heldBy(draft).map((row) => ({ id: row.id, owner: row.owner, why: whyHeldBy(row) })),
    /** Machines that were told to stop long ago, and live and bill. */
    notStopping: notStopping(draft, context).map(({ row: { id, owner }, text }) => ({ id, owner, text })),
    /** What has a deadline or a total, and no agent that ends it. */
    unkept: head.agent !== null ? [] : unkept(draft),
    fleets: fleets.map((fleet) => ({
      name: fleet.name,
      source: fleet.source,
      removed: fleet.removed,
      ...fleetReport(draft, fleet.name, context),
      /** What its declaration asks for, whatever an operator or a deadline says. */
      wishedGpus: fleet.removed ? 0 : parseWish(fleet.wish).gpus,
      until: parseWish(fleet.wish).until ?? null,
      spent: spentBy(draft, fleet.name, context),
    })),
    deployments: slots,
    /** Not resolved yet, or accepted with an id that nothing ever showed (`unshown`). */
    launches: [
      ...[...draft.intents.values()].filter((intent) => isUnresolved(draft, intent)),
      ...neverShown(draft, context).flatMap(({ kind: state, text: detail, intent }) => {
        const launch = draft.intents.get(intent ?? "");
        return launch ? [{ ...launch, state, detail }] : [];
      }),
    ].map(({ owner, state, detail, ...combination }) => ({
      place: place(combination),
      owner,
      state,
      detail,
    })),
    unaccounted: toJudge.map((row) => ({
      ...shortRow(draft, row),
      disputed: row.claim === "disputed",
      unheld: isUnheld(draft, row) && row.owner !== null ? nameOf(whoOwns(draft, row.owner)) : null,
      reused: isReused(row) && row.owner !== null ? nameOf(whoOwns(draft, row.owner)) : null,
    })),
    /** The fleets that may take these once a second list agrees with the first. Empty: a person judges them now. */
    matching:
      head.agent !== null && toJudge.every(({ claim }) => claim === null)
        ? matchingFleets(draft, context)
        : [],
    badRecords: badRecords(draft),
    cooldowns: [...draft.cooldowns.values()].flatMap((cooldown) => {
      const ms = coolingFor(cooldown, context);
      return ms > 0 ? [{ place: place(cooldown), seconds: Math.ceil(ms / 1000) }] : [];
    }),
    events: (await ledger.events(account.key, 8))
      .map(({ at, kind, owner, text }) => ({
        at,
        kind,
        owner,
        name: owner && calledName(draft, owner),
        text,
      }))
      .reverse(),
  };
}

function unkept(draft: Draft): readonly string[] {
  const fleets = [...draft.fleets.values()].filter((fleet) => {
    const { until, budget } = parseWish(fleet.wish);
    return !isOver(draft, fleet) && (until ?? budget.total) !== undefined;
  });
  const slots = [...draft.slots.values()].filter(
    ({ id, until }) => until != null && [...draft.deployments.of("livingOf", slotOwner(id))].length > 0,
  );
  return [...fleets.map(({ name }) => `fleet ${name}`), ...slots.map(({ name }) => `deployment ${name}`)];
}

export type AccountHead = ReturnType<typeof accountHead>;

/** Whose account it is, who keeps it, and how old the newest list is. `lease`: see `leaseOf`. */
export function accountHead(draft: Draft, lease: LeaseState | undefined, context: Context) {
  const { account } = draft;
  return {
    account: account.email,
    baseUrl: account.baseUrl,
    tenure: account.tenure,
    agent: agentAlive(draft, context, lease)
      ? {
          pid: account.agent?.process.pid,
          host: account.agent?.host,
          since: account.agent?.since?.wall ?? null,
        }
      : null,
    list: account.list?.wall ?? null,
    /** False: what the list shows may have changed since. */
    fresh: account.list !== null && elapsed(account.list, context.now) <= allowedDelay(context),
  };
}

/** Records of the service that cannot be read, whole or in part. `deployment` is null without an id. */
function badRecords(draft: Draft): readonly { readonly deployment: string | null; readonly text: string }[] {
  const nameless = namelessText(draft.account);
  return [
    ...badRecordsOf(draft).map(({ id, text }) => ({ deployment: id, text })),
    ...(nameless === undefined ? [] : [{ deployment: null, text: nameless }]),
  ];
}

/** How many seconds the balance lasts. Null: it was never read, or nothing of a known price is spent. */
function runwayOf(draft: Draft) {
  const { perHour, unpriced, runway } = moneyOf(draft);
  return {
    seconds: runway === undefined ? null : Math.floor(runway / 1000),
    /** True if it is below the limit of the alert. */
    short: runway !== undefined && runway < shortRunway(draft),
    pricePerHour: formatUsd(perHour),
    /** Machines of unknown price: then the runway is at most so long, and the price at least so high. */
    unpriced,
  };
}
