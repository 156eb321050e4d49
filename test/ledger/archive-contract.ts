import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Draft } from "../../ledger/draft.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { accountDraft, readDraft, scratchDraft } from "../../ledger/read-draft.ts";
import type { Archived } from "../../ledger/rows.ts";
import { deploymentAsFound, intentAsFound } from "../support/as-found.ts";
import { ANNE, AT, DEPLOYMENT, intentOf } from "./contract.ts";

const DAY = 20_000;
export const ARCHIVED: Archived = {
  owner: "fleet:web",
  record: "digest",
  spent: { [DAY]: "16.5", [DAY + 1]: "0.0001" },
  loss: { kind: "interrupted", code: "north" },
};
const ENDED = { ...DEPLOYMENT, status: "interrupted", end: "interrupted", ended: AT } as const;

/** Three ended machines with their launches, and one that lives. */
export async function fill(ledger: Ledger): Promise<string> {
  const key = await ledger.openAccount({ baseUrl: "u", account: ANNE });
  await ledger.decide(key, (draft) => {
    draft.putAccount({ ...draft.account, sequence: 4 });
    for (const number of [1, 2, 3, 4]) {
      const [id, intent] = [`m${number}`, `i${number}`];
      intentAsFound(draft, { ...intentOf(intent), state: "claimed", deployment: id, resolved: AT });
      deploymentAsFound(draft, { ...(number === 4 ? DEPLOYMENT : ENDED), id, intent, sequence: number });
    }
  });
  return key;
}

export async function archive(ledger: Ledger, key: string, id: string): Promise<void> {
  await ledger.decide(key, (draft) => {
    const row = draft.deployments.ever(id);
    if (row) draft.archiveMachine(row, ARCHIVED);
  });
}

/** What every `Ledger` must keep of archived machines. */
export function archiveContract(name: string, open: () => Ledger | Promise<Ledger>): void {
  describe(name, () => {
    let ledger: Ledger;
    let key: string;
    beforeEach(async () => {
      ledger = await open();
      key = await fill(ledger);
      for (const id of ["m1", "m2"]) await archive(ledger, key, id);
    });
    afterEach(() => ledger.close());

    const here = async () => {
      const { deployments, intents } = await ledger.read(key);
      return [...deployments, ...intents].map(({ id }) => id);
    };

    it("shows it and its launch to nobody who goes through the rows, and to all who ask for them", async () => {
      expect(await here()).toEqual(["m3", "m4", "i3", "i4"]);
      const see = (draft: Awaited<ReturnType<typeof readDraft>>) => {
        expect(draft.deployments.ever("m1")).toMatchObject({ id: "m1", end: "interrupted", intent: "i1" });
        expect(draft.intents.ever("i1")).toMatchObject({ id: "i1", state: "claimed", deployment: "m1" });
        expect(draft.deployments.ever("m1")).toBeDefined();
        expect(draft.deployments.ever("m9")).toBeUndefined();
        expect(draft.intents.ever("i9")).toBeUndefined();
        expect([...draft.archive.ids()]).toEqual(["m1", "m2"]);
        expect(draft.archive.digest("m1")).toBe("digest");
        expect(draft.archive.spent("fleet:web").toFixed()).toBe("33.0002");
        expect(draft.archive.spent("fleet:web", (DAY + 1) * 86_400_000).toFixed()).toBe("0.0002");
        expect(draft.archive.spent("fleet:web", 0, (DAY + 1) * 86_400_000).toFixed()).toBe("33");
        expect(draft.archive.spent("fleet:other").toFixed()).toBe("0");
        expect(draft.archive.hadBy("fleet:web")).toBe(2);
        expect(draft.archive.losses()).toEqual([{ kind: "interrupted", code: "north", count: 2 }]);
      };
      see(await readDraft({ ledger, account: key }));
      await ledger.decide(key, see);
    });

    const CHANGES: readonly (readonly [string, (draft: Draft) => void])[] = [
      [
        "its row",
        (draft) => {
          const row = draft.deployments.ever("m1");
          if (row) draft.putDeployment({ ...row, seen: true });
        },
      ],
      [
        "its launch's row",
        (draft) => {
          const intent = draft.intents.ever("i1");
          if (intent) draft.putIntent({ ...intent, detail: "changed" });
        },
      ],
      ["nothing, but asks for it", (draft) => draft.recall("m1")],
      ["nothing, but asks for its launch", (draft) => draft.recallLaunch("i1")],
    ];

    it.each(CHANGES)("brings both back, where they were, once somebody changes %s", async (_what, change) => {
      await ledger.decide(key, change);
      expect(await here()).toEqual(["m1", "m3", "m4", "i1", "i3", "i4"]);
      const draft = await readDraft({ ledger, account: key });
      expect(draft.archive.spent("fleet:web").toFixed()).toBe("16.5001");
      expect(draft.archive.hadBy("fleet:web")).toBe(1);
      expect(draft.archive.losses()).toMatchObject([{ count: 1 }]);
      // And it may go again.
      await archive(ledger, key, "m1");
      expect(await here()).toEqual(["m3", "m4", "i3", "i4"]);
    });

    it("brings back all of an owner", async () => {
      await ledger.decide(key, (draft) => draft.recallAll("fleet:other"));
      expect(await here()).toHaveLength(4);
      await ledger.decide(key, (draft) => draft.recallAll("fleet:web"));
      expect(await here()).toEqual(["m1", "m2", "m3", "m4", "i1", "i2", "i3", "i4"]);
    });

    it("keeps nothing of a decision that throws", async () => {
      const failing = ledger.decide(key, (draft) => {
        draft.recall("m1");
        const row = draft.deployments.ever("m3");
        if (row) draft.archiveMachine(row, ARCHIVED);
        throw new RangeError("no");
      });
      await expect(failing).rejects.toThrow(RangeError);
      expect(await here()).toEqual(["m3", "m4", "i3", "i4"]);
      const draft = await readDraft({ ledger, account: key });
      expect(draft.archive.spent("fleet:web").toFixed()).toBe("33.0002");
    });

    it("leaves a draft to try something on what it is, and is not changed by it", async () => {
      const tried = await scratchDraft({ ledger, account: key });
      tried.recall("m1");
      const row = tried.deployments.ever("m3");
      if (row) tried.archiveMachine(row, ARCHIVED);
      expect([...tried.archive.ids()]).toEqual(["m2", "m3"]);
      expect(await here()).toEqual(["m3", "m4", "i3", "i4"]);
      await archive(ledger, key, "m3");
      const [first, second] = [
        await scratchDraft({ ledger, account: key }),
        await readDraft({ ledger, account: key }),
      ];
      first.recall("m2");
      expect([...second.archive.ids()]).toEqual(["m1", "m2", "m3"]);
      expect(second.archive.spent("fleet:web").toFixed()).toBe("49.5003");
      expect(first.archive.spent("fleet:web").toFixed()).toBe("33.0002");
    });

    it("gives a draft for the account alone: its row and events are tried on, and no other row is put", async () => {
      const { email } = (await readDraft({ ledger, account: key })).account;
      const tried = await accountDraft({ ledger, account: key });
      tried.putAccount({ ...tried.account, email: "other@example.com" });
      expect([tried.account.email, tried.changes.length]).toEqual(["other@example.com", 1]);
      expect(() => tried.recall("m1")).toThrow(/only for reading/);
      const row = tried.deployments.ever("m3");
      expect(() => row && tried.putDeployment({ ...row, status: "failed" })).toThrow(/only for reading/);
      const now = await readDraft({ ledger, account: key });
      expect([now.account.email, now.deployments.ever("m3")]).toEqual([email, row]);
      expect([...now.archive.ids()]).toEqual(["m1", "m2"]);
    });

    it("leaves a reader what it has read", async () => {
      const before = await readDraft({ ledger, account: key });
      await archive(ledger, key, "m3");
      await ledger.decide(key, (draft) => draft.recall("m1"));
      expect([...before.deployments.keys()]).toEqual(["m3", "m4"]);
      expect(before.archive.spent("fleet:web").toFixed()).toBe("33.0002");
      expect(before.deployments.ever("m1")?.id).toBe("m1");
    });

    it("tells accounts apart", async () => {
      const bob = await ledger.openAccount({ baseUrl: "u", account: { ...ANNE, id: "bob" } });
      const draft = await readDraft({ ledger, account: bob });
      expect(draft.deployments.ever("m1") ?? draft.intents.ever("i1")).toBeUndefined();
      expect(draft.archive.size).toBe(0);
    });
  });
}
