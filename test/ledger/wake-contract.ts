import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { waking } from "../../launch/mark-wake.ts";
import type { Draft } from "../../ledger/draft.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { ANNE } from "./contract.ts";

/** Counts how often somebody who waits in an account is woken. */
export async function sleeper(ledger: Ledger, account: string) {
  const over = new AbortController();
  onTestFinished(() => over.abort());
  const on = { wakes: 0, over };
  await ledger.onWake(account, () => (on.wakes += 1), over.signal);
  return on;
}

let noted = 0;

/** A decision that changes something. */
export function change(draft: Draft): void {
  noted += 1;
  draft.putSlot({ id: `slot-${noted}`, name: "n", created: AT, closing: false });
}

const AT = { wall: 1, mono: 1, boot: "b" };
/** Longer than any ledger takes between two looks. */
const LOOKED_MS = 1_500;

/** `place` makes a ledger, and gives what opens it once more, as another process would. */
export function wakeContract(name: string, place: () => Promise<() => Promise<Ledger>>): void {
  const both = async () => {
    const open = await place();
    const [here, there] = [await open(), await open()];
    const baseUrl = "https://a.example.com";
    const anne = await here.openAccount({ baseUrl, account: ANNE });
    const bob = await here.openAccount({ baseUrl, account: { ...ANNE, id: 'bob "ü"' } });
    return { here, there, anne, bob };
  };

  describe(name, () => {
    it("wakes who waits in an account, whichever process leaves them something to do", async () => {
      const { here, there, anne } = await both();
      const [one, other] = [await sleeper(here, anne), await sleeper(here, anne)];
      await there.decide(anne, waking(change));
      await expect.poll(() => [one.wakes, other.wakes]).toEqual([1, 1]);
      await here.decide(anne, waking(change));
      await expect.poll(() => [one.wakes, other.wakes]).toEqual([2, 2]);
    });

    it("wakes nobody in another account, nor for what is no wish, order or resume, nor if nothing changed", async () => {
      const { here, there, anne, bob } = await both();
      const [inAnne, inBob] = [await sleeper(here, anne), await sleeper(here, bob)];
      await there.decide(anne, change);
      await there.decide(anne, (draft) => draft.putAccount({ ...draft.account, sequence: 7 }));
      await there.decide(
        anne,
        waking(() => undefined),
      );
      await expect(there.decide(anne, waking(fails))).rejects.toThrow(RangeError);
      await there.decide(bob, waking(change));
      await expect.poll(() => inBob.wakes).toBe(1);
      await sleep(LOOKED_MS);
      expect([inAnne.wakes, inBob.wakes]).toEqual([0, 1]);
    });

    it("is quiet once it is told so, and can be asked again", async () => {
      const { here, there, anne } = await both();
      const over = await sleeper(here, anne);
      over.over.abort();
      await there.decide(anne, waking(change));
      const next = await sleeper(here, anne);
      await there.decide(anne, waking(change));
      await expect.poll(() => next.wakes).toBe(1);
      expect(over.wakes).toBe(0);
    });
  });
}

function fails(draft: Draft): never {
  change(draft);
  throw new RangeError("no");
}
