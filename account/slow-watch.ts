import { contextOf, type Keeper } from "../launch/keeper.ts";
import { slowListText, storeQuickList, storeSlowList } from "../launch/list/slow-list.ts";
import { elapsed, type Instant } from "../ledger/instant.ts";
import { isOfLedger, unless } from "../service/contract/errors.ts";

/**
 * A keeper that watches its lists. One that takes longer than a poll interval is written down, and
 * `tell` gets what that means. The list is waited for as before.
 */
export function tellingSlowLists<K extends Keeper>(keeper: K, tell: (text: string) => void): K {
  const { ledger, account, service, clock, settings } = keeper;
  /** Undefined: the ledger's record is from before this process began. */
  let isSlow: boolean | undefined;

  async function tellSlow(begun: Instant): Promise<void> {
    const before = isSlow;
    isSlow = true;
    await ledger.decide(account, (draft) => storeSlowList(draft, begun, contextOf(keeper)));
    if (before !== true) tell(slowListText(settings));
  }

  async function recordQuick(): Promise<void> {
    if (isSlow === false) return;
    await ledger.decide(account, storeQuickList);
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
          // Whoever decides next tells of a ledger that cannot be written. It must cost nobody a list.
          if (elapsed(begun, clock.now()) <= settings.poll) await unless(isOfLedger, recordQuick());
          return list;
        } finally {
          ended.abort();
          await told;
        }
      },
    },
  };
}
