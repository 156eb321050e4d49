import { contextOf, enterSlot, markHeld, slotMachine } from "../../launch/index.ts";
import { type Draft, readDraft } from "../../ledger/index.ts";
import { combinationOf, isAmong, knownCandidatesOf } from "./inputs/candidates.ts";
import { checked, machineInputs, nameOf, slotInputs } from "./inputs/inputs.ts";
import { sendsOther, unusedOf } from "./inputs/parameters.ts";
import { type Properties, type ResourceKind, same } from "./inputs/resource-kind.ts";
import { isOriginOf, originText } from "./ownership/ledger-of-origin.ts";
import { lostSlot } from "./ownership/lost-slot.ts";
import type { Environment } from "./session/environment.ts";
import { progressOf } from "./session/progress.ts";
import { emptySlot } from "./stop/empty-slot.ts";
import { ignoreConfigErrors } from "./stop/ignore-config-errors.ts";

/**
 * The slot: the half of a `Deployment` that is in the state before money moves. Its create makes a random id
 * and uses no network, so an interruption of the machine's create cannot make Pulumi forget that a machine
 * may run. Its delete stops everything that was ever launched into it.
 */
export const slot: ResourceKind = {
  async check(env, news) {
    const { inputs, failures } = checked(slotInputs, news, machineInputs);
    const problem = env.problem();
    const unused = unusedOf(news.parameters, env.usedParameters());
    if (unused.length > 0) {
      const names = unused.map((name) => `parameters.${name}`).join(", ");
      const tell = progressOf(env, nameOf(news));
      tell(`${names}: launch.body of the profile does not use it, so the service never sees it`);
    }
    return { inputs, failures: problem ? [...failures, { property: "", reason: problem }] : failures };
  },

  async diff(env, id, olds, news) {
    env.held.add(id);
    const draft = await draftOf(env, id);
    if (draft?.slots.get(id)?.unheld)
      await (await env.ledger()).decide(draft.account.key, (now) => markHeld(now, id));
    if (draft?.slots.get(id)?.closing) {
      const tell = progressOf(env, nameOf(news));
      tell("its deletion was begun and not finished: that is done first, then it is made anew");
      return { changes: true, replaces: ["label"], deleteBeforeReplace: true };
    }
    const replaces = sendsOther(olds.parameters, news.parameters, env.usedParameters()) ? ["parameters"] : [];
    if (!same(olds.triggers, news.triggers)) replaces.push("triggers");
    const chosen = CHOICE.filter((key) => !same(olds[key], news[key]));
    if (chosen.length > 0 && !stillFits(id, olds, news, draft)) replaces.push(...chosen);
    const changes = [...chosen, ...IN_PLACE].some((key) => !same(olds[key], news[key]));
    return { changes: changes || replaces.length > 0, replaces };
  },

  async create(env, inputs) {
    const ledger = await env.ledger();
    return { id: env.newId(), outs: { ...inputs, ledger: originText(ledger, env.host) } };
  },

  read: async (_env, _id, props) => props,

  update: async (_env, _id, olds, news) => ({ ...news, ledger: olds.ledger }),

  async delete(env, id, props) {
    const ledger = await env.ledger();
    if ((await ledger.accountOfSlot(id)) === undefined) {
      const made = String(props.ledger);
      if (!isOriginOf(made, ledger)) throw await lostSlot(env, id, props);
      return closeUnused(env, id, props);
    }
    await emptySlot(env, id, props);
  },
};

const CHOICE = ["offer", "provider", "location", "candidates"] as const;
/** With the label: a renamed resource is shown by its new name. */
const IN_PLACE = ["timeouts", "onDelete", "beforeStop", "label", "parameters"] as const;

/**
 * Changed candidates need no other machine if the one that runs is among them. Only the ledger knows which
 * one runs. It is not needed, and may be lost, if all old candidates are among the new ones.
 */
function stillFits(id: string, olds: Properties, news: Properties, draft: Draft | undefined): boolean {
  const candidates = knownCandidatesOf(news);
  if (candidates === undefined) return false;
  if (knownCandidatesOf(olds)?.every((each) => isAmong(each, candidates))) return true;
  if (draft === undefined) return false;
  const machine = slotMachine(draft, id);
  return machine !== undefined && isAmong(combinationOf(draft, machine), candidates);
}

/** The ledger's rows beside this slot, without a request. Undefined if the ledger does not know the slot. */
async function draftOf(env: Environment, id: string): Promise<Draft | undefined> {
  const ledger = await env.ledgerThere();
  const account = await ledger?.accountOfSlot(id);
  return ledger === undefined || account === undefined ? undefined : await readDraft({ ledger, account });
}

/**
 * Deletes a slot into which its own ledger launched nothing. The host of a killed engine may still be about
 * to: so the slot is closed in the ledger first. Where the configuration opens no account, that host cannot.
 */
async function closeUnused(env: Environment, id: string, props: Properties): Promise<void> {
  const before = await ignoreConfigErrors(async () => {
    const { keeper } = await env.session();
    return keeper.ledger.decide(keeper.account, (draft) => {
      const wasEntered = draft.slots.has(id);
      const row = enterSlot(draft, id, String(props.label), contextOf(keeper));
      draft.putSlot({ ...row, closing: true });
      return { wasEntered, hasList: draft.account.list !== null };
    });
  });
  // That host was faster and may have launched; or a ledger that has read lists is older than its launch.
  if (before?.wasEntered || before?.hasList) await emptySlot(env, id, props);
}
