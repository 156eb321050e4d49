import type { Instant } from "../ledger/instant.ts";
import { elapsed } from "../ledger/instant.ts";
import { isOfLedger } from "../service/errors.ts";
import type { Keeper } from "./keeper.ts";
import { contextOf } from "./keeper.ts";
import { recordQuickList, recordSlowList, slowListText } from "./slow-list.ts";

/**
 * The same keeper, whose lists are watched: one that is not there after one poll interval is written down, and `tell` is called
 * with what that means. It is waited for as before.
 */
export function tellingSlowLists<K extends Keeper>(keeper: K, tell: (text: string) => void): K {
  const { ledger, account, service, clock, settings } = keeper;
  /** Undefined: what the ledger says of it is from before this process began. */
  let isSlow: boolean | undefined;

  async function tellSlow(begun: Instant): Promise<void> {
    const before = isSlow;
    isSlow = true;
    await ledger.decide(account, (draft) => recordSlowList(draft, begun, contextOf(keeper)));
    if (before !== true) tell(slowListText(settings));
  }

  async function recordQuick(): Promise<void> {
    if (isSlow === false) return;
    await ledger.decide(account, recordQuickList);
    isSlow = false;
  }

  return {
    ...keeper,
    service: {
      ...service,
      async deployments(signal) {
        const begun = clock.now();
        const ended = new AbortController();
        const told = clock
          .sleep(settings.poll, ended.signal)
          .then(() => tellSlow(begun))
          .catch((error: unknown) => {
            if (!ended.signal.aborted && !isOfLedger(error)) throw error;
          });
        try {
          const list = await service.deployments(signal);
          if (elapsed(begun, clock.now()) <= settings.poll) await unlessLedger(recordQuick());
          return list;
        } finally {
          ended.abort();
          await told;
        }
      },
    },
  };
}

/** A ledger that cannot be written is told of by whoever decides next, and costs nobody a list. */
async function unlessLedger(work: Promise<void>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!isOfLedger(error)) throw error;
  });
}
