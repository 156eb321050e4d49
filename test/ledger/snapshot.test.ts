import { join } from "node:path";
import { expect, it, vi } from "vitest";
import { openSqliteLedger } from "../../ledger/sqlite/sqlite-ledger.ts";
import { intentAsFound } from "../support/as-found.ts";
import { ANNE, intentOf } from "./contract.ts";
import { folder } from "./folder.ts";

it("reads all rows as one transaction found them, whatever another process stores meanwhile", async () => {
  const path = join(folder(), "ledger.db");
  const open = () => openSqliteLedger({ path, newId: "abcdefgh1234", now: 1 });
  const [one, other] = [open(), open()];
  const key = await one.openAccount({ baseUrl: "https://a.example.com", account: ANNE });

  // A reader parses each row as it comes: after the account's, and before the launches are looked for, this is stored.
  const stored: Promise<unknown>[] = [];
  const parse = vi.spyOn(JSON, "parse").mockImplementationOnce((text) => {
    parse.mockRestore();
    const deciding = other.decide(key, (draft) => {
      draft.putAccount({ ...draft.account, sequence: 1 });
      intentAsFound(draft, intentOf("i1"));
    });
    stored.push(deciding);
    return JSON.parse(text);
  });
  const before = await one.read(key);
  expect(stored).toHaveLength(1);
  await stored[0];
  expect([before.account.sequence, before.intents.length]).toEqual([0, 0]);

  const after = await one.read(key);
  expect([after.account.sequence, after.intents.length]).toEqual([1, 1]);
  one.close();
  other.close();
});

it("is not in the way of whoever writes, once it has read", async () => {
  const path = join(folder(), "ledger.db");
  const open = () => openSqliteLedger({ path, newId: "abcdefgh1234", now: 1 });
  const [one, other] = [open(), open()];
  const key = await one.openAccount({ baseUrl: "https://a.example.com", account: ANNE });
  await expect(one.read("nobody")).rejects.toMatchObject({ code: "LEDGER" });
  await one.read(key);
  await one.decide(key, (draft) => intentAsFound(draft, intentOf("i1")));
  await other.decide(key, (draft) => draft.putAccount({ ...draft.account, sequence: 1 }));
  expect((await one.read(key)).account.sequence).toBe(1);
  one.close();
  other.close();
});
