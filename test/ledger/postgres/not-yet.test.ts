import { expect, test } from "vitest";
import { openLedger, openLedgerIfThere } from "../../../launch/open-ledger.ts";

test.each([
  ["to use", openLedger],
  ["to look at", openLedgerIfThere],
])("%s: no ledger in PostgreSQL is opened while all processes must run on one host", async (_why, open) => {
  const opening = open("postgres://me:sesame@db.example.com/fleets", 1);
  await expect(opening).rejects.toMatchObject({ code: "CONFIG", message: /no ledger in PostgreSQL yet/ });
  await expect(opening).rejects.not.toThrow(/sesame|example\.com/);
});
