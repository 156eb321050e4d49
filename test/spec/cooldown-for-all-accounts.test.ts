import { expect, test } from "vitest";
import { readDraft } from "../../ledger/read-draft.ts";
import { openSqliteLedger } from "../../ledger/sqlite/sqlite-ledger.ts";

const SERVICE = "https://gpus.example.com";
const PLACE = { offer: "o", provider: "p", location: "l" };

test("a cooldown that one account was told of is heeded by every account of the service", async () => {
  const ledger = openSqliteLedger({ path: ":memory:", newId: "ledger000000", now: 0 });
  const open = (id: string) =>
    ledger.openAccount({
      baseUrl: SERVICE,
      account: { id, email: "", display_name: "", created_at: "2026-01-01T00:00:00.000Z" },
      tenure: "exclusive",
    });
  const [one, other] = [await open("one"), await open("other")];
  const since = { wall: 0, mono: 0, boot: "b" };
  await ledger.decide(one, (draft) => draft.putCooldown({ ...PLACE, since, seconds: 45 }));
  expect((await readDraft({ ledger, account: other })).cooldown(PLACE)).toMatchObject({ seconds: 45 });
  ledger.close();
});
