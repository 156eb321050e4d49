import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { coolingFor } from "../../launch/facts/cooling.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { openSqliteLedger } from "../../ledger/sqlite/sqlite-ledger.ts";
import { LaunchBench, OSLO } from "../launch/bench.ts";
import { intentAsFound } from "../support/as-found.ts";
import { ANNE, AT, intentOf } from "./contract.ts";
import { folder } from "./folder.ts";

const open = (path: string, newId = "ledger0000"): Ledger => openSqliteLedger({ path, newId, now: 1 });
const account = { baseUrl: "https://a.example.com", account: ANNE };

it("makes its folder, and finds everything again under the id it was made with", async () => {
  const path = join(folder(), "new", "folder", "ledger.db");
  const first = open(path);
  const key = await first.openAccount(account);
  await first.decide(key, (draft) => intentAsFound(draft, intentOf("i1")));
  first.close();
  const again = open(path, "another000");
  expect(again.id).toBe("ledger0000");
  expect((await again.read(key)).intents).toEqual([intentOf("i1")]);
  again.close();
});

it("shows what another process has stored", async () => {
  const path = join(folder(), "ledger.db");
  const [one, other] = [open(path), open(path)];
  const key = await one.openAccount(account);
  await one.decide(key, (draft) => intentAsFound(draft, intentOf("i1")));
  expect((await other.read(key)).intents).toHaveLength(1);
  await expect(other.decide(key, (draft) => intentAsFound(draft, intentOf("i2")))).rejects.toMatchObject({
    code: "LEDGER",
  });
  one.close();
  other.close();
});

it("keeps a cooldown across a restart, for what is left of it", async () => {
  const path = join(folder(), "ledger.db");
  const first = open(path);
  const key = await first.openAccount(account);
  await first.decide(key, (draft) => draft.putCooldown({ ...OSLO, since: AT, seconds: 45 }));
  first.close();
  const again = open(path);
  const { cooldowns } = await again.read(key);
  again.close();
  const now = { ...AT, mono: AT.mono + 40_000 };
  expect(coolingFor(cooldowns[0], { ...new LaunchBench().context, now })).toBe(5_000);
});

it("is one ledger by whatever link it is opened", async () => {
  const home = folder();
  const path = join(home, "ledger.db");
  const link = join(home, "link.db");
  const first = open(path);
  symlinkSync(path, link);
  const other = open(link, "another000");
  expect(other.id).toBe(first.id);
  const key = await first.openAccount(account);
  expect(await other.accounts()).toMatchObject([{ key }]);
  first.close();
  other.close();
  expect(existsSync(`${link}-wal`)).toBe(false);
});

it.each(["moved", "deleted", "replaced"])(
  "writes nothing more when the file was %s: nobody else would read it",
  async (how) => {
    const home = folder();
    const path = join(home, "ledger.db");
    const ledger = open(path);
    const key = await ledger.openAccount(account);
    if (how === "deleted") rmSync(path);
    else {
      mkdirSync(join(home, "elsewhere"));
      renameSync(path, join(home, "elsewhere", "ledger.db"));
    }
    if (how === "replaced") open(path).close();
    await expect(ledger.decide(key, () => 1)).rejects.toMatchObject({
      code: "LEDGER",
      message: expect.stringContaining("moved, deleted or replaced"),
    });
    ledger.close();
  },
);

it("is not made through a link that leads nowhere, as where a disk is not mounted", () => {
  const home = folder();
  const link = join(home, "link.db");
  symlinkSync(join(home, "unmounted.db"), link);
  expect(() => open(link)).toThrow(
    `${link}: this is a link to ${join(home, "unmounted.db")}, and nothing is there`,
  );
  expect(existsSync(join(home, "unmounted.db"))).toBe(false);
});
