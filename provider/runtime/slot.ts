import { contextOf, enterSlot, markHeld, slotMachine } from "../../launch/index.ts";
import type { Draft } from "../../ledger/index.ts";
import { readDraft } from "../../ledger/index.ts";
import { combinationOf, isAmong, knownCandidatesOf } from "./candidates.ts";
import { emptySlot } from "./empty-slot.ts";
import type { Environment } from "./environment.ts";
import { ignoreConfigErrors } from "./ignore-config-errors.ts";
import { checked, machineInputs, nameOf, slotInputs } from "./inputs.ts";
import { lostSlot } from "./lost-slot.ts";
import { isMadeWith, madeWith } from "./made-with.ts";
import { sendsOther, unusedOf } from "./parameters.ts";
import { progressOf } from "./progress.ts";
import type { CheckFailure, Properties, ResourceKind } from "./resource-kind.ts";
import { same } from "./same.ts";

/**
 * The slot: the half of a `Deployment` that is in the state before any money moves. Its create makes a random id and
 * touches no network, so an interruption in the machine's create cannot make Pulumi forget that something may run; its
 * delete stops everything that was ever launched into it.
 */
export const slot: ResourceKind = {
  async check(env, news) {
    const { inputs, failures } = checked(slotInputs, news, machineInputs);
    const problem = env.problem();
    const unused = unusedOf(news.parameters, env.usedParameters());
    if (unused.length > 0) {
      const names = unused.map((name) => `parameters.${name}`).join(", ");
      progressOf(
        env,
        nameOf(news),
      )(`${names}: launch.body of the profile does not use it, so the service never sees it`);
    }
    const all: readonly CheckFailure[] = problem
      ? [...failures, { property: "", reason: problem }]
      : failures;
    return { inputs, failures: all };
  },

  async diff(env, id, olds, news) {
    env.held.add(id);
    const draft = await draftOf(env, id);
    if (draft?.slots.get(id)?.unheld)
      await (await env.ledger()).decide(draft.account.key, (now) => markHeld(now, id));
    if (draft?.slots.get(id)?.closing) {
      progressOf(
        env,
        nameOf(news),
      )("its deletion was begun and not finished: that is done first, then it is made anew");
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
    return { id: env.newId(), outs: { ...inputs, ledger: madeWith(ledger, env.host) } };
  },

  read: async (_env, _id, props) => props,

  update: async (_env, _id, olds, news) => ({ ...news, ledger: olds.ledger }),

  async delete(env, id, props) {
    const ledger = await env.ledger();
    if ((await ledger.accountOfSlot(id)) === undefined) {
      const made = String(props.ledger);
      if (!isMadeWith(made, ledger)) throw await lostSlot(env, id, props);
      return closeUnused(env, id, props);
    }
    await emptySlot(env, id, props);
  },
};

/** What decides which machine it is. */
const CHOICE = ["offer", "provider", "location", "candidates"] as const;
/** The label too: a resource that was renamed is called by its new name. */
const IN_PLACE = ["timeouts", "onDelete", "label", "parameters"] as const;

/**
 * Other candidates are no wish for another machine where the one that was taken is still among them. Which one that was,
 * only the ledger says; it need not be asked, and may be lost, where all that could be taken still can.
 */
function stillFits(id: string, olds: Properties, news: Properties, draft: Draft | undefined): boolean {
  const candidates = knownCandidatesOf(news);
  if (candidates === undefined) return false;
  if (knownCandidatesOf(olds)?.every((each) => isAmong(each, candidates))) return true;
  if (draft === undefined) return false;
  const machine = slotMachine(draft, id);
  return machine !== undefined && isAmong(combinationOf(draft, machine), candidates);
}

/** What the ledger has beside this slot, without a word to the service; undefined where it does not know the slot. */
async function draftOf(env: Environment, id: string): Promise<Draft | undefined> {
  const ledger = await env.ledger();
  const account = await ledger.accountOfSlot(id);
  return account === undefined ? undefined : await readDraft({ ledger, account });
}

/**
 * Its own ledger would know of a launch: there was none. But the host of a killed engine may still be on its way into the
 * slot, so it is closed in the ledger first. With a configuration that opens no account, nobody comes that far.
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
  // It was a moment quicker, and may have launched; or the ledger, which has read lists, is older than what it launched.
  if (before?.wasEntered || before?.hasList) await emptySlot(env, id, props);
}
