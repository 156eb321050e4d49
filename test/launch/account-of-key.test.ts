import { expect, it } from "vitest";
import { accountInLedger } from "../../account/account-of-key.ts";
import type { Account } from "../../service/contract/contract.ts";
import type { Deployment, Service } from "../../service/contract/service.ts";
import { accountInReach, accountOfKey } from "../../service/record/account-reader.ts";
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

it("a service that shows its accounts is believed where the ledger knows none by a key", async () => {
  const bench = new LaunchBench({ account: { ...FIRST, id: "a-1" } });
  const service = { baseUrl: BASE_URL } as unknown as Service;
  const shown = { ...FIRST, id: "0b5e" };
  expect(await accountInLedger(service, bench.ledger, shown, new AbortController().signal)).toBe(shown);
});

/*
 * A setting in the path of the list chooses a project, and so other machines.
 */

const [RED, BLUE] = ["red", "blue"].map((reach) => accountInReach({ ...FIRST, id: "a-1" }, reach));

it.each([
  ["another setting", RED, BLUE],
  ["a setting where there was none", { ...FIRST, id: "a-1" }, RED],
  ["no setting where there was one", RED, { ...FIRST, id: "a-1" }],
])("%s makes nothing gone: it opens nothing before a list or a person tells", async (_what, before, now) => {
  const list: Deployment[] = [];
  const bench = new LaunchBench({ account: before as Account });
  bench.machine("m1");
  const service = { baseUrl: BASE_URL, deployments: async () => list } as unknown as Service;
  const open = (isSame = false) =>
    accountInLedger(service, bench.ledger, now as typeof FIRST, new AbortController().signal, isSame);
  await expect(open()).rejects.toMatchObject({ code: "WRONG_ACCOUNT" });
  expect(await bench.ledger.accounts()).toHaveLength(1);
  list.push({ id: "m1", status: "running" });
  expect((await open()).id).toBe(before?.id);
  list.pop();
  expect((await open()).id).toBe(before?.id);
});
