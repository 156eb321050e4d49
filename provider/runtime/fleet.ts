import { sameAccount } from "../../account/index.ts";
import { isOver, removeFleet, retire } from "../../agent/index.ts";
import { contextOf, machineHoldText, waking, whyNotStopping } from "../../launch/index.ts";
import { fleetOwner, readDraft } from "../../ledger/index.ts";
import { checked, fleetInputs, nameOf, timeoutOf } from "./inputs/inputs.ts";
import type { Properties, ResourceKind } from "./inputs/resource-kind.ts";
import { same } from "./inputs/resource-kind.ts";
import { accountOfSource, sourceOf } from "./ownership/fleet-source.ts";
import { isOriginOf, originText, otherLedgerOfFleet } from "./ownership/ledger-of-origin.ts";
import { mustEndByItself, ownedBy } from "./ownership/owned.ts";
import type { Environment } from "./session/environment.ts";
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
    const isKnown = async () => (await accountOfSource(ledger, source)) !== undefined;
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

/** From now on the fleet wants nothing, and no resource declares it. */
async function close(env: Environment, source: string): Promise<void> {
  const { keeper } = await env.session();
  await keeper.ledger.decide(
    keeper.account,
    waking((draft) => {
      retire(draft, source);
      for (const { name } of draft.fleets.values()) removeFleet(draft, name, source);
    }),
  );
}

async function drain(env: Environment, source: string, props: Properties): Promise<void> {
  const session = await env.session();
  const { ledger, account, clock, service, settings } = session.keeper;
  const tell = progressOf(env, nameOf(props));
  sameAccount(session.keeper, await accountOfSource(ledger, source), `fleet ${props.name}`);
  const before = await readDraft({ ledger, account });
  for (const each of before.fleets.values())
    if (each.source === source && !each.removed)
      refuseHeld(before, fleetOwner(each.name), contextOf(session.keeper));
  await close(env, source);
  const wait = startWaitLimit(clock, timeoutOf(props, "delete"), env.signal);
  // The agent's newest list may lack a stop that a person made by hand, or a machine that came late.
  let looked = false;
  const look = async (): Promise<void> => {
    await session.lists.look();
    looked = true;
  };
  await outlive(look, tell);
  for (;;) {
    const draft = await readDraft({ ledger, account });
    const row = [...draft.fleets.values()].find((each) => each.source === source && !isOver(draft, each));
    if (row === undefined) {
      if (looked && draft.account.doubt === null) return;
      wait.check("no list shows yet whether something of it runs");
      await clock.sleep(settings.poll, wait.signal);
      await outlive(look, tell);
      continue;
    }
    const { name } = row;
    const context = contextOf(session.keeper);
    const owned = ownedBy(draft, fleetOwner(name), context);
    mustEndByItself(fleetOwner(name), owned, service.abilities.stop);
    const machines = owned.alive.map((each) => {
      const stuck = whyNotStopping(draft, each, context);
      if (stuck !== undefined || each.stop?.calls) return stuck ?? stopText(each);
      return `${each.id} ${machineHoldText(each, context.now) ?? each.status}`;
    });
    const left = machines.join(", ") || "a launch that is not answered yet";
    // A copy of a stack's state drains the first stack's fleet: so it says whose.
    tell(`draining ${source.replace(/^stack:|#.*$/g, "")}: ${left}`);
    wait.check(`fleet ${name} is not drained yet (${left})`, adviceOf(owned.alive));
    await reconcileOnce(session, name, "inline", tell, wait);
  }
}
