import type { TestServer } from "../support/postgres.ts";
import { CANARY, World } from "./world.ts";

/** Stands in the URL of the ledger. Found anywhere, it fails a test. */
const PASSWORD = "sesame-canary-77";

export interface SharedWorld {
  readonly world: World;
  /** Of the database. */
  readonly name: string;
  /** The URL with its password. */
  readonly url: string;
  /** All that stands in all rows of all tables of the database. */
  rows(): Promise<string>;
  /** Of these, those that the text has. */
  secretsIn(text: string): readonly string[];
  close(): Promise<void>;
}

/** A world whose ledger is a new database, and its URL a secret of the stack. */
export async function worldOnPostgres(
  server: TestServer,
  ...given: Parameters<typeof World.create>
): Promise<SharedWorld> {
  const world = await World.create(...given);
  const name = await server.create();
  const url = `postgres://postgres:${PASSWORD}@127.0.0.1:${server.port}/${name}`;
  await world.project.succeed("config", "set", "--secret", "fleetkeeper:ledger", url);
  return {
    world,
    name,
    url,
    rows: async () => {
      const tables = await server.sql(
        `SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
         WHERE table_schema NOT IN ('pg_catalog', 'information_schema')`,
        name,
      );
      const texts = await Promise.all(
        tables.map(({ name: table }) => server.sql(`SELECT to_jsonb(t)::text AS row FROM ${table} t`, name)),
      );
      return texts.flatMap((rows, at) => rows.map(({ row }) => `${tables[at]?.name} ${row}`)).join("\n");
    },
    secretsIn: (text) => [PASSWORD, CANARY, url].filter((secret) => text.includes(secret)),
    close: async () => {
      await world.close();
      await server.drop(name);
    },
  };
}
