import { describe, expect, it } from "vitest";
import { newMachineRow } from "../../../launch/machine/new-machine.ts";
import type { Draft } from "../../../ledger/draft.ts";
import { intentAsFound } from "../../support/as-found.ts";
import { CUTS, type Cut, CuttingProxy } from "../../support/cutting-proxy.ts";
import { sharedServer } from "../../support/postgres.ts";
import { REPEATS } from "../../support/repeats.ts";
import { ANNE, AT, intentOf } from "../contract.ts";

const server = await sharedServer();

const CONTEXT = { now: AT } as Parameters<typeof newMachineRow>[2];
/** Not READ COMMITTED, which is how a transaction begins. */
const COMMIT = /COMMIT(?!T)/;
/** One statement each of a decision that puts a row of each kind: by its text, or its name once it was prepared. */
const STATEMENTS = {
  begin: /BEGIN/,
  "the account's lock": /FOR NO KEY UPDATE OF account|fleetkeeper_lock_account/,
  "the load of the rows": /UNION ALL/,
  "the service's lock": /FROM fleetkeeper\.service.*FOR NO KEY UPDATE/s,
  launches: /INSERT INTO fleetkeeper\.intent|fleetkeeper_put_intents/,
  machines: /INSERT INTO fleetkeeper\.deployment|fleetkeeper_put_deployments/,
  slots: /INSERT INTO fleetkeeper\.slot/,
  cooldowns: /INSERT INTO fleetkeeper\.cooldown/,
  events: /INSERT INTO fleetkeeper\.event|fleetkeeper_put_events/,
  "the service's signature": /UPDATE fleetkeeper\.service SET decision/,
  "the account's signature": /WITH signed|fleetkeeper_sign/,
  commit: COMMIT,
} as const;

/** Puts a row of each kind. What it adds is found twice if it is stored twice. */
function add(draft: Draft): number {
  const number = draft.account.sequence + 1;
  intentAsFound(draft, intentOf(`i${number}`, { group: `i${number}` }));
  // This raises the account's sequence number.
  draft.putDeployment(newMachineRow(draft, `m${number}`, CONTEXT));
  draft.putSlot({ id: `s${number}`, name: "n", created: AT, closing: false });
  draft.putCooldown({ offer: `o${number}`, provider: "p", location: "l", since: AT, seconds: 1 });
  draft.note({ at: 1, kind: "launch", owner: null, deployment: null, text: `${number}` });
  return number;
}

async function behindProxy(times: { patience?: number; look?: number } = {}) {
  const database = await server!.database();
  const proxy = await CuttingProxy.before(server!.port);
  const ledger = await database.ledger({ url: database.urlAt(proxy.port), times });
  const key = await ledger.openAccount({ baseUrl: "https://a.example.com", account: ANNE });
  /** What the database holds, as another process finds it. */
  const stored = async (): Promise<number> => {
    const [row] = await database.sql(`SELECT
      (SELECT (row::json ->> 'sequence')::int FROM fleetkeeper.account) AS account,
      (SELECT count(*)::int FROM fleetkeeper.intent) AS intents, (SELECT count(*)::int FROM fleetkeeper.deployment) AS deployments,
      (SELECT count(*)::int FROM fleetkeeper.slot) AS slots, (SELECT count(*)::int FROM fleetkeeper.cooldown) AS cooldowns,
      (SELECT count(*)::int FROM fleetkeeper.event) AS events`);
    const counts = new Set(Object.values(row ?? {}));
    expect(counts.size, JSON.stringify(row)).toBe(1);
    return Number([...counts][0]);
  };
  return { proxy, ledger, key, stored, database };
}

describe.skipIf(!server)("a connection that is cut in a decision", () => {
  const isTriedAgain = async (cut: Cut): Promise<void> => {
    const { proxy, ledger, key, stored, database } = await behindProxy();
    let number = 0;
    for (const [at, statement] of Object.entries(STATEMENTS)) {
      // Another process decides, too, so that rows are loaded.
      const other = await database.ledger();
      await other.decide(key, add);
      other.close();
      number += 2;
      let seen = 0;
      proxy.cut = (text) => {
        if (!statement.test(text)) return undefined;
        seen += 1;
        return seen === 1 ? cut : undefined;
      };
      expect(await ledger.decide(key, add), at).toBe(number);
      expect(seen, at).toBeGreaterThan(0);
      expect(await stored(), at).toBe(number);
      expect((await ledger.read(key)).intents, at).toHaveLength(number);
    }
  };
  const again = "(%s) at any statement is followed by another try, and the decision is stored once";
  // Nothing of the statement arrived, or all of it: the others are one of the two to the server.
  it.each(["before", "answered"] as const)(again, isTriedAgain);
  it.each(CUTS.filter((cut) => cut !== "before" && cut !== "answered"))(again, REPEATS, isTriedAgain);

  it.each(CUTS)(
    "(%s) at any statement, and the server stays away: what the caller is told is so",
    async (cut) => {
      const { proxy, ledger, key, stored, database } = await behindProxy({ patience: 100, look: 100 });
      let number = 0;
      const all = { ...STATEMENTS, nothing: /^$/ };
      for (const [at, statement] of Object.entries(all)) {
        const other = await database.ledger();
        await other.decide(key, add);
        other.close();
        number += 1;
        proxy.cut = (text) => {
          if (!statement.test(text)) return undefined;
          proxy.isDown = true;
          return cut;
        };
        const told = await ledger.decide(key, add).then(
          () => "stored",
          (error: { code: string; message: string }) => {
            expect(error.code, at).toBe("LEDGER_BUSY");
            return /it is not known/.test(error.message) ? "unknown" : "not stored";
          },
        );
        proxy.cut = () => undefined;
        proxy.isDown = false;
        // The lock waits for what is still under way.
        const now = await ledger.decide(key, (draft) => draft.account.sequence);
        expect(await stored(), at).toBe(now);
        if (told === "stored") expect(now, at).toBe(number + 1);
        if (told === "not stored") expect(now, at).toBe(number);
        // A connection that is cut after the answer is found cut by the next statement.
        if (told === "unknown")
          expect(cut === "answered" ? ["the account's signature", "commit"] : ["commit"]).toContain(at);
        if (at === "nothing") expect(told).toBe("stored");
        if (at === "commit" && cut !== "answered") expect(told).toBe("unknown");
        number = now;
      }
    },
  );

  it("a commit that arrives after its connection was lost is waited for: a look without the lock would miss it", async () => {
    const { proxy, ledger, key, stored } = await behindProxy();
    proxy.cutOnce("late", COMMIT);
    let runs = 0;
    const result = await ledger.decide(key, (draft) => {
      runs += 1;
      return add(draft);
    });
    expect([result, runs, await stored()]).toEqual([1, 1, 1]);
  });

  it("a commit that never arrived is found out, and the decision runs again", async () => {
    const { proxy, ledger, key, stored } = await behindProxy();
    proxy.cutOnce("before", COMMIT);
    let runs = 0;
    const result = await ledger.decide(key, (draft) => {
      runs += 1;
      return add(draft);
    });
    expect([result, runs, await stored()]).toEqual([1, 2, 1]);
  });
});
