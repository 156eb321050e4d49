import { sameAccount } from "../../account/index.ts";
import { isOver, removeFleet, retire } from "../../agent/index.ts";
import { contextOf, machineHoldText, waking, whyNotStopping } from "../../launch/index.ts";
import { type Draft, fleetOwner, type Instant, isLater, readDraft } from "../../ledger/index.ts";
import { noteOrder } from "./create/declare-parts.ts";
import { checked, fleetInputs, nameOf, timeoutOf } from "./inputs/inputs.ts";
import { type Properties, type ResourceKind, same } from "./inputs/resource-kind.ts";
import { type Seen, seenOf, sourceOf } from "./ownership/fleet-source.ts";
import { isOriginOf, originText, otherLedgerOfFleet } from "./ownership/ledger-of-origin.ts";
import { mustEndByItself, ownedBy } from "./ownership/owned.ts";
import type { Environment, Session } from "./session/environment.ts";
import { progressOf } from "./session/progress.ts";
import { outlive, startWaitLimit } from "./session/wait-limit.ts";
import { refuseHeld } from "./stop/held.ts";
import { ignoreConfigErrors } from "./stop/ignore-config-errors.ts";
import { adviceOf, stopText } from "./stop/stop-text.ts";
import { reconcileOnce } from "./wait/fleet-progress.ts";

/**
 * The name of a fleet: the half of a `Fleet` that is in the state first. Its create writes nothing: an
 * interruption while the wish waits cannot make Pulumi forget a fleet. Its delete ends the wish and drains.
 */
export const fleet: ResourceKind = {
  async check(env, news) {
    const { inputs, failures } = checked(fleetInputs, news);
    const problem = env.problem();
    return { inputs, failures: problem ? [...failures, { property: "", reason: problem }] : failures };
  },

  async diff(_env, _id, olds, news) {
    const changes = ["name", "timeouts", "label"].some((key) => !same(olds[key], news[key]));
    return { changes, replaces: [] };
  },

  async create(env, inputs) {
    const ledger = await env.ledger();
    // The random part tells this resource from an earlier one of the same name that is still being deleted.
    return {
      id: `${inputs.label}#${env.newId()}`,
      outs: { ...inputs, ledger: originText(ledger, env.host) },
    };
  },

  read: async (_env, _id, props) => props,

  update: async (_env, _id, olds, news) => ({ ...news, ledger: olds.ledger }),

  async delete(env, id, props) {
    const name = String(props.name);
    const source = sourceOf(id);
    const ledger = await env.ledger();
    const made = String(props.ledger);
    const isKnown = async () => (await seenOf(ledger, source)).length > 0;
    if (!(await isKnown())) {
      // If somebody else has the name by now, this fleet was over before.
      const isOthers = (await ledger.accountOfFleet(name)) !== undefined;
      if (!isOthers && !isOriginOf(made, ledger)) throw otherLedgerOfFleet(name, made, ledger);
      // Nothing was declared. But the host of a killed engine may still be about to.
      await ignoreConfigErrors(() => close(env, source));
      if (!(await isKnown())) return;
    }
    await drain(env, source, props);
  },
};

/**
 * From now on the fleet wants nothing, and no resource declares it. Of one in several services the first part comes first: without
 * it nothing more is launched, so a deletion that is cut short moves no machine from one service to the next.
 */
async function close(env: Environment, source: string): Promise<void> {
  const { keeper } = await env.session();
  const { ledger } = keeper;
  const seen = (await seenOf(ledger, source)).map(({ account }) => account);
  const accounts = await ledger.accounts();
  const file = accounts.find(({ key }) => key === keeper.account)?.service?.file;
  // The host of a killed engine may still be about to declare it in any of them.
  const others = accounts.filter(({ service }) => service && service.file === file);
  for (const account of new Set([...seen, keeper.account, ...others.map(({ key }) => key)]))
    await ledger.decide(
      account,
      waking((draft) => {
        retire(draft, source);
        for (const { name, removed, source: by } of [...draft.fleets.values()]) {
          removeFleet(draft, name, source);
          if (by === source && !removed) noteOrder(draft, "drained", name, source, contextOf(keeper));
        }
      }),
    );
}

async function drain(env: Environment, source: string, props: Properties): Promise<void> {
  const session = await env.session();
  const { keeper } = session;
  const { ledger, account, clock, service, settings } = keeper;
  const tell = progressOf(env, nameOf(props));
  const before = await seenOf(ledger, source);
  if (!before.some(({ fleet }) => fleet.part)) sameAccount(keeper, before[0]?.account, `fleet ${props.name}`);
  for (const { draft, fleet } of before)
    if (!fleet.removed) refuseHeld(draft, fleetOwner(fleet.name), contextOf(keeper));
  await close(env, source);
  const closed = clock.now();
  const wait = startWaitLimit(clock, timeoutOf(props, "delete"), env.signal);
  // The agent's newest list may lack a stop that a person made by hand, or a machine that came late.
  let looked = false;
  const look = async (): Promise<void> => {
    await session.lists.look();
    looked = true;
  };
  await outlive(look, tell);
  for (;;) {
    const seen = await seenOf(ledger, source);
    const open = openOf(session, seen, closed);
    if (open === undefined) {
      const own = await readDraft(keeper);
      if (looked && own.account.doubt === null && (await forgetParts(session, seen))) return;
      wait.check("no list shows yet whether something of it runs");
      await clock.sleep(settings.poll, wait.signal);
      await outlive(look, tell);
      continue;
    }
    const { draft, fleet } = open;
    const isOwn = open.account === account;
    const context = contextOf(keeper);
    const owned = ownedBy(draft, fleetOwner(fleet.name), context);
    mustEndByItself(fleetOwner(fleet.name), owned, !isOwn || service.abilities.stop);
    const machines = owned.alive.map((each) => {
      const stuck = whyNotStopping(draft, each, context);
      if (stuck !== undefined || each.stop?.calls) return stuck ?? stopText(each);
      return `${each.id} ${machineHoldText(each, context.now) ?? each.status}`;
    });
    const at = fleet.part && draft.account.service ? ` at ${draft.account.service.name}` : "";
    const left =
      machines.join(", ") ||
      (isEmptied(draft, fleet.name)
        ? "no list shows yet whether more runs"
        : "a launch that is not answered yet");
    // A copy of a stack's state drains the first stack's fleet: so it says whose.
    tell(`draining ${source.replace(/^stack:|#.*$/g, "")}${at}: ${left}`);
    wait.check(`fleet ${fleet.name} is not drained yet (${left})`, adviceOf(owned.alive));
    // Of another account the stack has no key: its own agent alone stops what is there.
    await reconcileOnce(session, fleet.name, isOwn ? "inline" : "agent", tell, wait, [open.account]);
  }
}

/** A row of which something may live, the first part's before others; of another account, also one whose list is older than that. */
function openOf(session: Session, seen: readonly Seen[], closed: Instant): Seen | undefined {
  return seen.find(
    ({ account, draft, fleet }) =>
      !isEmptied(draft, fleet.name) || !(account === session.keeper.account || isListed(draft, closed)),
  );
}

/**
 * Nothing of it lives, and nobody declares it again: what moved between its parts is forgotten, so that its name is free. The
 * first part comes last: as long as it is there, nobody else has the name. False: something of it has come late.
 */
async function forgetParts({ keeper }: Session, seen: readonly Seen[]): Promise<boolean> {
  for (const { account, fleet } of [...seen].reverse()) {
    if (!fleet.part) continue;
    const isForgotten = await keeper.ledger.decide(account, (draft) => {
      const row = draft.fleets.get(fleet.name);
      if (!row || row.source !== fleet.source) return true;
      if (!isEmptied(draft, row.name)) return false;
      const { part: _share, ...alone } = row;
      draft.putFleet(alone);
      return true;
    });
    if (!isForgotten) return false;
  }
  return true;
}

function isEmptied(draft: Draft, name: string): boolean {
  const fleet = draft.fleets.get(name);
  if (!fleet) return true;
  const { part: _share, ...alone } = fleet;
  return isOver(draft, alone);
}

/** A list that was asked for since then is believed. */
function isListed({ account: { list, doubt } }: Draft, since: Instant): boolean {
  return list !== null && isLater(list, since) && doubt === null;
}
