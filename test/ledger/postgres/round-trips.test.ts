import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { newMachineRow } from "../../../launch/machine/new-machine.ts";
import type { Draft } from "../../../ledger/draft.ts";
import { CuttingProxy } from "../../support/cutting-proxy.ts";
import { sharedServer } from "../../support/postgres.ts";
import { ANNE, AT } from "../contract.ts";

const server = await sharedServer();
const CONTEXT = { now: AT } as Parameters<typeof newMachineRow>[2];

describe.skipIf(!server)("a decision in PostgreSQL", () => {
  async function held() {
    const database = await server!.database();
    const proxy = await CuttingProxy.before(server!.port);
    const ledger = await database.ledger({ url: database.urlAt(proxy.port) });
    const key = await ledger.openAccount({ baseUrl: "https://a.example.com", account: ANNE });
    await ledger.decide(key, () => 0);
    const seen: string[] = [];
    proxy.cut = (statement) => {
      seen.push(statement);
      return undefined;
    };
    /** Has so many statements arrive, though none is answered; then answers them. */
    const round = async (count: number): Promise<readonly string[]> => {
      while (seen.length < count) await sleep(5);
      const all = seen.splice(0);
      proxy.answer();
      return all;
    };
    return { proxy, ledger, key, round };
  }

  const put = (draft: Draft): void => {
    const number = draft.deployments.size;
    draft.putDeployment(newMachineRow(draft, `m${number}`, CONTEXT));
    draft.note({ at: 1, kind: "launch", owner: null, deployment: null, text: `${number}` });
  };

  it("waits for the server three times: for the lock, for what it stores, and for the commit", async () => {
    const { proxy, ledger, key, round } = await held();
    proxy.holdsAnswers = true;
    const decided = ledger.decide(key, put);
    expect(await round(2)).toEqual([expect.stringContaining("BEGIN"), expect.stringMatching(/lock_account/)]);
    const [machine, event, sign] = await round(3);
    expect(machine).toContain("INSERT INTO fleetkeeper.deployment");
    expect(event).toContain("INSERT INTO fleetkeeper.event");
    expect(sign).toMatch(/WITH signed|fleetkeeper_sign/);
    expect(await round(1)).toEqual([expect.stringContaining("COMMIT")]);
    await decided;
  });

  it("has its statements planned once on a connection that is the server's own", async () => {
    const { proxy, ledger, key, round } = await held();
    await ledger.decide(key, put);
    await round(1);
    proxy.holdsAnswers = true;
    const decided = ledger.decide(key, put);
    const [, lock] = await round(2);
    expect(lock).toContain("fleetkeeper_lock_account");
    expect(lock).not.toContain("SELECT");
    const stored = await round(3);
    expect(stored.join()).toMatch(/put_deployments.*put_events.*sign/s);
    expect(stored.join()).not.toMatch(/INSERT|WITH/);
    await round(1);
    await decided;
  });
});
