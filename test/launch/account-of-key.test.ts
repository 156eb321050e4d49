import { expect, it } from "vitest";
import { accountInLedger } from "../../account/account-of-key.ts";
import type { Deployment, Service } from "../../service/contract/service.ts";
import { accountOfKey } from "../../service/record/account-reader.ts";
import { BASE_URL, LaunchBench } from "./bench.ts";

const [FIRST, SECOND] = [accountOfKey(BASE_URL, "first"), accountOfKey(BASE_URL, "second")];

/** An account that only its key tells apart, with a machine of ours; the list that another key shows. */
function changed(list: readonly Deployment[]) {
  const bench = new LaunchBench({ account: FIRST });
  bench.machine("m1");
  const service = { baseUrl: BASE_URL, deployments: async () => list } as unknown as Service;
  const open = (account = SECOND, isSame = false) =>
    accountInLedger(service, bench.ledger, account, new AbortController().signal, isSame);
  return { bench, open };
}

it("the key that the ledger knows opens its account", async () => {
  const { open } = changed([]);
  expect((await open(FIRST)).id).toBe(FIRST.id);
});

it("another key opens nothing while nothing tells whose account it is", async () => {
  const { open, bench } = changed([{ id: "m9", status: "running" }]);
  await expect(open()).rejects.toMatchObject({ code: "WRONG_ACCOUNT" });
  expect(await bench.ledger.accounts()).toMatchObject([{ accountId: FIRST.id }]);
});

it("a person may say that it is the same account; from then on both keys open it", async () => {
  const { open } = changed([]);
  expect((await open(SECOND, true)).id).toBe(FIRST.id);
  expect((await open(SECOND, false)).id).toBe(FIRST.id);
  expect((await open(FIRST, false)).id).toBe(FIRST.id);
});

it("a list that shows a machine of ours is the account's, whatever the key", async () => {
  const { open } = changed([{ id: "m1", status: "running" }]);
  expect((await open()).id).toBe(FIRST.id);
});

it("a service that shows its accounts is believed", async () => {
  const shown = { ...FIRST, id: "0b5e" };
  expect(await changed([]).open(shown)).toBe(shown);
});
