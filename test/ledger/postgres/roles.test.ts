import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Ledger } from "../../../ledger/ledger.ts";
import { intentAsFound } from "../../support/as-found.ts";
import type { Database } from "../../support/postgres.ts";
import { sharedServer } from "../../support/postgres.ts";
import { archive, fill } from "../archive-contract.ts";
import { ANNE, AT, intentOf } from "../contract.ts";

const server = await sharedServer();
const DOCS = readFileSync(join(import.meta.dirname, "../../../docs/reference/ledgers.md"), "utf8");
const ROLES = ["fleetkeeper_owner", "fleetkeeper_agent", "fleetkeeper_status"] as const;

/** A database with the roles of docs/reference/ledgers.md. */
async function withRoles() {
  const database = await server!.database();
  const [, sql = ""] = /```sql\n([\s\S]*?)```/.exec(DOCS) ?? [];
  await database.sql(sql.replaceAll("DATABASE fleetkeeper", `DATABASE ${database.name}`));
  onTestFinished(async () => {
    for (const role of ROLES) await database.sql(`DROP OWNED BY ${role} CASCADE; DROP ROLE ${role}`);
  });
  return database;
}

/** The part of the document's SQL that a dropped schema needs again. */
const AGAIN = /CREATE SCHEMA[\s\S]*?(?=```)/.exec(DOCS)?.[0] ?? "";

function as(database: Database, role: (typeof ROLES)[number]): Promise<Ledger> {
  return database.ledger({ url: database.url.replace("postgres@", `${role}@`) });
}

describe.skipIf(!server)("the roles of docs/reference/ledgers.md", () => {
  test("the owner makes the ledger, the agent's role decides in it, and the status role reads what is there", async () => {
    const database = await withRoles();
    await as(database, "fleetkeeper_owner");
    const agent = await as(database, "fleetkeeper_agent");
    const key = await fill(agent);
    await archive(agent, key, "m2");
    await agent.decide(key, (draft) => {
      draft.putCooldown({ offer: "o", provider: "p", location: "l", since: AT, seconds: 60 });
      draft.putSlot({ id: "s1", name: "web", created: AT, closing: false });
      intentAsFound(draft, { ...intentOf("i9"), state: "rejected", resolved: AT });
    });
    await agent.decide(key, (draft) => draft.forgetIntents(["i9"], { events: true }));
    const seen = await as(database, "fleetkeeper_status");
    const rows = await seen.read(key);
    expect(rows.deployments.map(({ id }) => id)).toEqual(["m1", "m3", "m4"]);
    expect(rows.archive?.pair("m2")).toMatchObject({ row: { id: "m2" } });
    expect(await seen.accounts()).toEqual(await agent.accounts());
    expect(await seen.events(key, 10)).toEqual(await agent.events(key, 10));
  });

  test("what the status role may not do is refused, and said", async () => {
    const database = await withRoles();
    await as(database, "fleetkeeper_owner");
    const key = await fill(await as(database, "fleetkeeper_agent"));
    const seen = await as(database, "fleetkeeper_status");
    for (const write of [
      () =>
        seen.decide(key, (draft) => draft.putSlot({ id: "s1", name: "web", created: AT, closing: false })),
      () => seen.openAccount({ baseUrl: "w", account: ANNE }),
    ])
      await expect(write()).rejects.toMatchObject({
        code: "LEDGER",
        message: expect.stringMatching(
          /the role of this URL may not do that: permission denied.*docs\/reference\/ledgers\.md/,
        ),
      });
  });

  test("a dropped schema takes the rights away: every role is told, and the same SQL from CREATE SCHEMA on mends it", async () => {
    const database = await withRoles();
    await as(database, "fleetkeeper_owner");
    const told =
      /the role of this URL may not do that.*DROP SCHEMA takes them away, and the SQL there from CREATE SCHEMA on/;
    await database.sql("DROP SCHEMA fleetkeeper CASCADE");
    for (const role of ["fleetkeeper_owner", "fleetkeeper_agent"] as const)
      await expect(as(database, role), role).rejects.toThrow(told);
    // As one does who remembers half of it.
    await database.sql("CREATE SCHEMA fleetkeeper AUTHORIZATION fleetkeeper_owner");
    await as(database, "fleetkeeper_owner");
    for (const role of ["fleetkeeper_agent", "fleetkeeper_status"] as const)
      await expect(as(database, role), role).rejects.toThrow(told);
    await database.sql("DROP SCHEMA fleetkeeper CASCADE");
    await database.sql(AGAIN);
    await as(database, "fleetkeeper_owner");
    const key = await fill(await as(database, "fleetkeeper_agent"));
    expect((await (await as(database, "fleetkeeper_status")).read(key)).deployments).not.toEqual([]);
  });

  test("the agent's role neither makes the ledger nor drops anything of it", async () => {
    const database = await withRoles();
    await expect(as(database, "fleetkeeper_agent")).rejects.toThrow(
      /only the owner makes or updates the tables/,
    );
    await as(database, "fleetkeeper_owner");
    const url = database.url.replace("postgres@", "fleetkeeper_agent@");
    const client = new (await import("pg")).Client({ connectionString: url });
    await client.connect();
    onTestFinished(() => client.end());
    for (const sql of [
      "DROP TRIGGER intent_marked ON fleetkeeper.intent",
      "TRUNCATE fleetkeeper.intent CASCADE",
      "CREATE TABLE fleetkeeper.more (one int)",
      "CREATE SCHEMA more",
    ])
      await expect(client.query(sql), sql).rejects.toThrow(/permission denied|must be owner/);
  });
});
