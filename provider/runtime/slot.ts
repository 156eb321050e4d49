import { contextOf, enterSlot } from "../../launch/index.ts";
import type { ErrorCode } from "../../service/errors.ts";
import { FleetkeeperError } from "../../service/errors.ts";
import { emptySlot } from "./empty-slot.ts";
import type { Environment } from "./environment.ts";
import { checked, slotInputs } from "./inputs.ts";
import { isMadeWith, madeWith, slotMadeElsewhere } from "./made-with.ts";
import type { CheckFailure, Properties, ResourceKind } from "./resource-kind.ts";
import { same } from "./same.ts";

/** Another value of one of these is a wish for another machine, and so for another slot. */
const IDENTITY = ["offer", "provider", "location", "parameters"] as const;

/**
 * The slot: the half of a `Deployment` that is in the state before any money moves. Its create makes a random id and
 * touches no network, so an interruption in the machine's create cannot make Pulumi forget that something may run; its
 * delete stops everything that was ever launched into it.
 */
export const slot: ResourceKind = {
  async check(env, news) {
    const { inputs, failures } = checked(slotInputs, news);
    const problem = env.problem();
    const all: readonly CheckFailure[] = problem
      ? [...failures, { property: "", reason: problem }]
      : failures;
    return { inputs, failures: all };
  },

  async diff(_env, _id, olds, news) {
    const replaces = IDENTITY.filter((key) => !same(olds[key], news[key]));
    return { changes: replaces.length > 0 || !same(olds.timeouts, news.timeouts), replaces };
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
      if (!isMadeWith(made, ledger)) throw slotMadeElsewhere(id, made, ledger);
      return closeUnused(env, id, props);
    }
    await emptySlot(env, id, props);
  },
};

/**
 * Its own ledger would know of a launch: there was none. But the host of a killed engine may still be on its way into the
 * slot, so it is closed in the ledger first. With a configuration that opens no account, nobody comes that far.
 */
async function closeUnused(env: Environment, id: string, props: Properties): Promise<void> {
  try {
    const { keeper } = await env.session();
    await keeper.ledger.decide(keeper.account, (draft) => {
      const row = enterSlot(draft, id, String(props.label), contextOf(keeper));
      draft.putSlot({ ...row, closing: true });
    });
  } catch (error) {
    if (error instanceof FleetkeeperError && HOPELESS.includes(error.code)) return;
    throw error;
  }
}

const HOPELESS: readonly ErrorCode[] = ["CONFIG", "CREDENTIAL", "PROFILE_PART_MISSING"];
