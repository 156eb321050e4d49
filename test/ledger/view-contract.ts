import { describe, expect, it } from "vitest";
import { newMachineRow } from "../../launch/machine/new-machine.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { readDraft } from "../../ledger/read-draft.ts";
import type { Rows } from "../../ledger/tables.ts";
import { Prng } from "../../simulator/prng.ts";
import { intentAsFound } from "../support/as-found.ts";
import { intentOf } from "./contract.ts";

/*
 * A ledger keeps the rows in memory for as long as nobody else commits. Whoever writes, in whichever order, and
 * whatever fails in between: each of two processes sees what one sees that has just opened the ledger.
 */

const PLACE = { offer: "o", provider: "p", location: "l" };
const NOW = { wall: 1, mono: 1, boot: "b" };
const CONTEXT = { now: NOW } as Parameters<typeof newMachineRow>[2];

async function accountIn(ledger: Ledger, id: string): Promise<string> {
  const account = {
    id,
    email: `${id}@example.com`,
    display_name: id,
    created_at: "2030-01-01T00:00:00.000Z",
  };
  return ledger.openAccount({ baseUrl: "https://gpus.example.com", account });
}

/** What the indexes find. */
async function found(ledger: Ledger, account: string) {
  const draft = await readDraft({ ledger, account });
  return {
    living: [...draft.deployments.of("life", "living")],
    claimed: [...draft.intents.of("state", "claimed")],
    absent: [...draft.intents.of("state", "absent")],
    archived: [...draft.archive.ids()].sort().map((id) => [id, draft.deployments.ever(id)]),
    digests: [...draft.archive.ids()].sort().map((id) => draft.archive.digest(id)),
    spent: draft.archive.spent("fleet:f").toFixed(),
  };
}

const plain = ({ account, intents, deployments, slots, fleets, cooldowns }: Rows) => ({
  account,
  intents: [...intents],
  deployments: [...deployments],
  slots: [...slots],
  fleets: [...fleets],
  cooldowns: [...cooldowns],
});

/** Opens one ledger, each time as another process would. */
type Open = () => Ledger | Promise<Ledger>;

/** What every ledger must keep that several processes use. `place` makes room for an empty one. `more`: further seeds, by these options. */
export function viewContract(
  name: string,
  place: () => Promise<Open>,
  more: { readonly seeds: readonly number[]; readonly options: object },
): void {
  describe(name, () => {
    for (const seed of [1, ...more.seeds])
      it(
        `two processes that write in turn see the same rows, in the same order (${seed})`,
        seed === 1 ? {} : more.options,
        async () => {
          const random = new Prng(`view ${seed}`);
          const open = await place();
          const ledgers = [await open(), await open()];
          const accounts = await Promise.all(["one", "two"].map((id) => accountIn(ledgers[0] as Ledger, id)));
          for (let step = 0; step < 250; step++) {
            const ledger = random.pick(ledgers);
            const account = random.pick(accounts);
            const fails = random.next() < 0.15;
            const kept = random.next() < 0.2 ? await ledger.read(account) : undefined;
            const before = kept && JSON.stringify(plain(kept));
            const decided = ledger.decide(account, (draft) => {
              const number = random.integer(0, 12);
              const id = `machine-${number}`;
              const known = draft.deployments.ever(id) ?? newMachineRow(draft, id, CONTEXT);
              draft.putDeployment({ ...known, status: `state-${step}` });
              if (random.next() < 0.1) {
                // As launch/machine/reused.ts does with an id that became another machine's.
                const ended = {
                  claim: "certain",
                  owner: "fleet:f",
                  claimed: NOW,
                  end: "failed",
                  ended: NOW,
                } as const;
                const old = draft.moveDeployment("adopt", { ...known, ...ended });
                draft.moveDeployment("putAside", { ...old, id: `${id}~${step}` });
                draft.moveDeployment("beginAnew", {
                  ...newMachineRow(draft, id, CONTEXT),
                  status: `anew-${step}`,
                  reused: true,
                });
              }
              if (random.next() < 0.3) {
                const intent = intentOf(`intent-${account}-${number}`, {
                  state: random.pick(["rejected", "absent", "claimed"]),
                });
                intentAsFound(draft, { ...intent, group: intent.id });
              }
              if (random.next() < 0.1) {
                const spent = [...draft.intents.of("state", "rejected")].map((intent) => intent.id);
                draft.forgetIntents(spent.slice(0, 2), { events: false });
              }
              if (random.next() < 0.3)
                draft.putSlot({
                  id: `slot-${account}-${number}`,
                  name: `n${step}`,
                  created: NOW,
                  closing: false,
                });
              if (random.next() < 0.3)
                draft.putCooldown({ ...PLACE, offer: `o${number}`, since: NOW, seconds: step });
              if (random.next() < 0.3) draft.putAccount({ ...draft.account, list: { ...NOW, mono: step } });
              if (random.next() < 0.3)
                draft.putFleet({
                  ...{
                    name: `fleet-${account}-${number}`,
                    source: "s",
                    wish: { gpus: step },
                    born: true,
                    birth: null,
                  },
                  ...{ removed: false, paused: false, pace: 1, reasons: [] },
                });
              const gone = draft.deployments.ever(`machine-${random.integer(0, 12)}`);
              if (gone && draft.deployments.has(gone.id) && random.next() < 0.2)
                draft.archiveMachine(gone, { owner: "fleet:f", record: `${step}`, spent: { 1: "2.5" } });
              if (random.next() < 0.02) draft.recallAll("fleet:f");
              if (fails) throw new Error("a decision that fails");
            });
            if (fails) await expect(decided).rejects.toThrow("a decision that fails");
            else await decided;
            // What was read before stays as it was.
            if (kept) expect(JSON.stringify(plain(kept))).toBe(before);
            if (step % 10 > 0 && random.next() < 0.5) continue;
            const fresh = await open();
            for (const key of accounts) {
              const truth = plain(await fresh.read(key));
              const index = await found(fresh, key);
              for (const each of ledgers) {
                expect(plain(await each.read(key))).toEqual(truth);
                expect(await found(each, key)).toEqual(index);
              }
            }
            fresh.close();
          }
          for (const ledger of ledgers) ledger.close();
        },
      );

    it("a decision sees what another process stored since the last one, in the same transaction", async () => {
      const open = await place();
      const [one, other] = [await open(), await open()];
      const key = await accountIn(one, "one");
      for (let count = 1; count <= 50; count++) {
        const ledger = count % 2 === 0 ? one : other;
        const seen = await ledger.decide(key, (draft) => {
          draft.putAccount({ ...draft.account, sequence: draft.account.sequence + 1 });
          return draft.account.sequence;
        });
        expect(seen).toBe(count);
      }
      one.close();
      other.close();
    });
  });
}
