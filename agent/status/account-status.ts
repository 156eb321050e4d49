import { refusalHalts } from "../../launch/claim/refused.ts";
import { notStopping } from "../../launch/ends/not-stopping.ts";
import { heldBy, whyHeldBy } from "../../launch/ends/returned.ts";
import { unservingOf, unservingText } from "../../launch/ends/unserving.ts";
import type { Context } from "../../launch/facts/context.ts";
import { coolingFor } from "../../launch/facts/cooling.ts";
import { holdText } from "../../launch/facts/hold.ts";
import { labelsOfOwner } from "../../launch/facts/labels.ts";
import { isUnresolved } from "../../launch/facts/occupancy.ts";
import { isReused } from "../../launch/machine/reused.ts";
import { badRecordsOf, namelessText } from "../../launch/machine/unread.ts";
import { haltsOf } from "../../launch/people/operator.ts";
import { isLeftBehind, toBeJudged } from "../../launch/people/slot.ts";
import { unshown } from "../../launch/resolve/doubted.ts";
import type { Draft } from "../../ledger/draft.ts";
import { elapsed, HOUR_MS } from "../../ledger/instant.ts";
import type { LeaseState } from "../../ledger/lease.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { fleetOwner, slotOwner } from "../../ledger/owner.ts";
import { readDraft } from "../../ledger/read-draft.ts";
import type { FleetRow } from "../../ledger/rows.ts";
import { billingText } from "../../service/contract/billing.ts";
import { combinationText } from "../../service/contract/contract.ts";
import { formatUsd, USD } from "../../service/contract/money.ts";
import { isOver } from "../fleet/declare/fleets.ts";
import { budgetFacts } from "../fleet/money/budget-facts.ts";
import { moneyOf } from "../fleet/money/money.ts";
import { shortRunway } from "../fleet/money/runway.ts";
import { spentBy } from "../fleet/money/spend.ts";
import { allowedDelay, isAgentAlive, leaseOf } from "../fleet/phase/agent-alive.ts";
import { lifeEnd, wishWithEnd } from "../fleet/phase/life.ts";
import { askableRange } from "../fleet/size/ask-for-count.ts";
import { askedNow, asWhole, scheduleOf } from "../fleet/size/asked-size.ts";
import { askedByMetric } from "../fleet/size/metric-size.ts";
import { askFacts } from "../fleet/size/person-ask.ts";
import { askedAt } from "../fleet/wish/schedule.ts";
import { parseWish } from "../fleet/wish/wish.ts";
import type { AccountHead, AccountStatus } from "../json/status.ts";
import type { WholeStatus } from "../json/whole.ts";
import { matchingFleets } from "../planning/machines/initial-adoption.ts";
import { workState } from "../planning/work/work.ts";
import { noReturnAt } from "../planning/work/work-size.ts";
import { fleetReport } from "./fleet-report.ts";
import { outageOf } from "./outage.ts";
import { calledName, nameOf, whoOwns } from "./owner-names.ts";
import { shortRow } from "./short-row.ts";
import { wholesOf } from "./whole-status.ts";

/** What `status --json` and `GET /api/status` say: the stable form for programs. */
export async function ledgerStatus(ledger: Ledger, context: Context) {
  const accounts: AccountStatus[] = [];
  const { drafts, leases } = await readAll(ledger);
  for (const [key, draft] of drafts)
    accounts.push(await draftStatus(draft, leases?.get(key), ledger, context));
  return { ledger: ledger.location, wholes: wholesIn({ drafts, leases }, context), accounts };
}

/**
 * The fleets that several of these accounts keep.
 * @internal Exported for its test.
 */
export function wholesIn(
  { drafts, leases }: Awaited<ReturnType<typeof readAll>>,
  context: Context,
): readonly WholeStatus[] {
  return wholesOf(drafts, (key, draft) => isAgentAlive(draft, context, leases?.get(key)), context);
}

/** The fleets that this account keeps with others. Where it keeps none, no other account is read. */
export async function wholesOfAccount(
  draft: Draft,
  ledger: Ledger,
  context: Context,
): Promise<readonly WholeStatus[]> {
  const names = new Set([...draft.fleets.values()].flatMap(({ part }) => part?.of ?? []));
  if (names.size === 0) return [];
  return wholesIn(await readAll(ledger), context).filter(({ name }) => names.has(name));
}

/** The rows of all accounts, and who keeps each. */
export async function readAll(ledger: Pick<Ledger, "accounts" | "leases" | "read">) {
  const keys = (await ledger.accounts()).map(({ key }) => key);
  const leases = await ledger.leases?.look(keys);
  const drafts = new Map<string, Draft>();
  for (const key of keys) drafts.set(key, await readDraft({ ledger, account: key }));
  return { drafts, leases };
}

/** What the ledger knows of one account. */
export async function accountStatus(ledger: Ledger, key: string, context: Context): Promise<AccountStatus> {
  const draft = await readDraft({ ledger, account: key });
  return draftStatus(draft, await leaseOf(ledger, key), ledger, context);
}

/** What a draft knows of its account: what else its reader shows is of the same moment. `lease`: see `leaseOf`. */
export async function draftStatus(
  draft: Draft,
  lease: LeaseState | undefined,
  ledger: Pick<Ledger, "events">,
  context: Context,
): Promise<AccountStatus> {
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
    currency: account.currency ?? USD,
    billing: billingText(account.billing),
    runway: runwayOf(draft),
    budgets: budgetFacts(draft, context),
    outage: outageOf(account) ?? null,
    slowSince: account.slow?.since?.wall ?? null,
    halted: [...haltsOf(account), ...refusalHalts(draft, context)],
    returned: heldBy(draft).map((row) => ({ id: row.id, owner: row.owner, why: holdText(whyHeldBy(row)) })),
    notStopping: notStopping(draft, context).map(({ row: { id, owner }, text }) => ({ id, owner, text })),
    notServing: unservingOf(draft, context).map((row) => ({
      id: row.id,
      owner: row.owner,
      text: unservingText(draft, row, context),
    })),
    unkept: head.agent !== null ? [] : unkept(draft),
    fleets: fleets.map((fleet) => ({
      name: fleet.name,
      source: fleet.source,
      removed: fleet.removed,
      labels: labelsOfOwner(draft, fleetOwner(fleet.name)),
      ...fleetReport(draft, fleet.name, context),
      wishedGpus: fleet.removed ? 0 : askedNow(fleet, context),
      until: wishWithEnd(fleet).until ?? null,
      life: lifeOf(fleet),
      schedule: scheduleFacts(asWhole(fleet), context),
      metric: metricFacts(asWhole(fleet)),
      ask: askFacts(asWhole(fleet), context),
      askable: askableOf(fleet),
      work: workFacts(draft, fleet, context),
      spent: spentBy(draft, fleet.name, context),
    })),
    deployments: slots,
    launches: [
      ...[...draft.intents.values()].filter((intent) => isUnresolved(draft, intent)),
      ...unshown(draft, context).map(({ kind: state, text: detail, owner, row: { id, intent, ...row } }) => {
        const { offer, provider, location } = draft.intents.ever(intent ?? "") ?? row;
        const where = { offer: offer ?? id, provider: provider ?? "?", location: location ?? "?" };
        return { ...where, owner, state, detail };
      }),
    ].map(({ owner, state, detail, ...combination }) => ({
      place: combinationText(combination),
      owner,
      state,
      detail,
    })),
    unaccounted: toJudge.map((row) => ({
      ...shortRow(draft, row),
      disputed: row.claim === "disputed",
      unheld: isLeftBehind(draft, row) && row.owner !== null ? nameOf(whoOwns(draft, row.owner)) : null,
      reused: isReused(row) && row.owner !== null ? nameOf(whoOwns(draft, row.owner)) : null,
    })),
    matching:
      head.agent !== null && toJudge.every(({ claim }) => claim === null)
        ? matchingFleets(draft, context)
        : [],
    badRecords: badRecords(draft),
    cooldowns: [...draft.cooldowns.values()].flatMap((cooldown) => {
      const ms = coolingFor(cooldown, context);
      return ms > 0 ? [{ place: combinationText(cooldown), seconds: Math.ceil(ms / 1000) }] : [];
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

function scheduleFacts(fleet: FleetRow, context: Context): AccountStatus["fleets"][number]["schedule"] {
  const schedule = scheduleOf(fleet, context);
  if (!schedule) return null;
  const { gpus, next = null } = askedAt(schedule, context.now.wall);
  return { timeZone: schedule.timeZone, gpus, next };
}

function metricFacts(fleet: FleetRow): AccountStatus["fleets"][number]["metric"] {
  if (parseWish(fleet.wish).metric === undefined) return null;
  const { known, problem } = fleet.metric ?? {};
  return {
    value: known?.value ?? null,
    at: known?.at.wall ?? null,
    gpus: askedByMetric(fleet) ?? null,
    unknown: problem ? { since: problem.since.wall, why: problem.why } : null,
  };
}

function workFacts(draft: Draft, fleet: FleetRow, context: Context): AccountStatus["fleets"][number]["work"] {
  const state = workState(draft, fleet, context);
  const { work } = parseWish(fleet.wish);
  if (!state || !work) return null;
  const { ceiling, late, over } = fleet.work ?? {};
  return {
    ...work,
    done: Math.round((100 * state.done) / HOUR_MS) / 100,
    gpus: askedNow(fleet, context),
    maxPricePerGpuHour: ceiling?.toFixed(4) ?? null,
    noReturn: Math.round(noReturnAt(state)),
    state: over ?? (late ? "late" : "early"),
  };
}

function lifeOf(fleet: FleetRow): AccountStatus["fleets"][number]["life"] {
  const { life } = parseWish(fleet.wish);
  return life === undefined ? null : { of: life, ends: lifeEnd(fleet) ?? null };
}

function unkept(draft: Draft): readonly string[] {
  const fleets = [...draft.fleets.values()].filter((fleet) => {
    const { until, life, budget } = parseWish(fleet.wish);
    return !isOver(draft, fleet) && (until ?? life ?? budget.total) !== undefined;
  });
  const slots = [...draft.slots.values()].filter(
    ({ id, until }) => until != null && [...draft.deployments.of("livingOf", slotOwner(id))].length > 0,
  );
  return [...fleets.map(({ name }) => `fleet ${name}`), ...slots.map(({ name }) => `deployment ${name}`)];
}

/** Whose account it is, who keeps it, and how old the newest list is. `lease`: see `leaseOf`. */
export function accountHead(draft: Draft, lease: LeaseState | undefined, context: Context): AccountHead {
  const { account } = draft;
  const { agent } = account;
  return {
    account: account.email,
    baseUrl: account.baseUrl,
    tenure: account.tenure,
    agent:
      agent !== null && isAgentAlive(draft, context, lease)
        ? { pid: agent.process.pid, host: agent.host, since: agent.since?.wall ?? null }
        : null,
    list: account.list?.wall ?? null,
    fresh: account.list !== null && elapsed(account.list, context.now) <= allowedDelay(context),
  };
}

function badRecords(draft: Draft): AccountStatus["badRecords"] {
  const nameless = namelessText(draft.account);
  return [
    ...badRecordsOf(draft).map(({ id, text }) => ({ deployment: id, text })),
    ...(nameless === undefined ? [] : [{ deployment: null, text: nameless }]),
  ];
}

function runwayOf(draft: Draft): AccountStatus["runway"] {
  const { perHour, unpriced, runway } = moneyOf(draft);
  return {
    seconds: runway === undefined ? null : Math.floor(runway / 1000),
    short: runway !== undefined && runway < shortRunway(draft),
    pricePerHour: formatUsd(perHour),
    unpriced,
  };
}

function askableOf(fleet: FleetRow): AccountStatus["fleets"][number]["askable"] {
  const range = askableRange(fleet);
  return typeof range === "string" ? null : { min: range.min, max: range.max };
}
