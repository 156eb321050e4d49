import { rmSync } from "node:fs";
import { availableParallelism, loadavg } from "node:os";
import { Client } from "pg";
import { newMachineRow } from "../launch/machine/new-machine.ts";
import { DAY_MS } from "../ledger/instant.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { openPostgresLedger } from "../ledger/postgres/postgres-ledger.ts";
import { LOCK_ACCOUNT, PUT_DEPLOYMENTS, PUT_EVENTS, SIGN } from "../ledger/postgres/statements.ts";
import { PostgresServer } from "../proof/postgres/server.ts";
import type { Figure } from "./figure.ts";
import { ms } from "./figure.ts";
import { ACCOUNT, benchLedger, contextOf } from "./rows.ts";

/*
 * A decision that puts a machine and an event, beside 100,000 machines: in PostgreSQL on this computer, in SQLite,
 * and as a transaction of `pg` with the same statements and no ledger around them. In turn, by the clock: what is
 * measured is the disk's time, too.
 */

const ROWS = 100_000;
const ROUNDS = 300;

function change(ledger: Ledger, key: string, number: number): Promise<void> {
  return ledger.decide(key, (draft) => {
    const known = draft.deployments.ever(machineOf(number));
    if (!known) throw new Error("the machine is not there");
    draft.putDeployment({ ...known, status: `state-${number}` });
    draft.note({ at: number, kind: "launch", owner: null, deployment: known.id, text: "bench" });
  });
}

function machineOf(number: number): string {
  return `machine-${number}`;
}

async function fill(ledger: Ledger, key: string): Promise<void> {
  await ledger.decide(key, (draft) => {
    const context = contextOf(ledger.id);
    for (let number = 0; number < ROWS; number++)
      draft.putDeployment(newMachineRow(draft, machineOf(number), context));
  });
}

/** The statements of such a decision, on a connection of its own. */
async function bare(client: Client, key: string, row: string, number: number): Promise<void> {
  const id = `bare-${number}`;
  await client.query("BEGIN ISOLATION LEVEL READ COMMITTED, READ WRITE; SET LOCAL lock_timeout = 5000");
  await client.query(LOCK_ACCOUNT, [key, null, null, null]);
  await client.query(PUT_DEPLOYMENTS, [key, [machineOf(number)], [null], [null], [null], [row]]);
  await client.query(PUT_EVENTS, [key, [number], [null], ["{}"]]);
  await client.query(SIGN, [key, id, null, null, null, null, null]);
  await client.query("COMMIT");
}

// It ends with this process.
const server = await PostgresServer.start();
const url = server.urlOf(await server.create());
let ids = 0;
const postgres = await openPostgresLedger({ url, newId: () => String(ids++).padStart(16, "0"), now: DAY_MS });
const sqlite = await benchLedger();
const other = { ...ACCOUNT, id: "bare" };
const baseUrl = "https://bench.example.com";
const key = await postgres.openAccount({ baseUrl, account: ACCOUNT });
const bareKey = await postgres.openAccount({ baseUrl, account: other });
await fill(postgres, key);
await fill(sqlite.ledger, sqlite.key);
await fill(postgres, bareKey);
const client = new Client({ connectionString: url });
await client.connect();
const { rows } = await client.query<{ row: string }>(
  "SELECT row FROM fleetkeeper.deployment WHERE account = $1 LIMIT 1",
  [bareKey],
);
const row = rows[0]?.row ?? "";
const times = { postgres: [] as number[], sqlite: [] as number[], bare: [] as number[] };
for (let number = 0; number < ROUNDS + 20; number++) {
  const took = async (work: () => Promise<unknown>): Promise<number> => {
    const begun = performance.now();
    await work();
    return performance.now() - begun;
  };
  const each = [
    await took(() => change(postgres, key, number)),
    await took(() => change(sqlite.ledger, sqlite.key, number)),
    await took(() => bare(client, bareKey, row.replace("{", `{"bench":${number},`), number)),
  ];
  // The first ones warm up.
  if (number < 20) continue;
  for (const [place, list] of [times.postgres, times.sqlite, times.bare].entries())
    list.push(each[place] ?? 0);
}
await client.end();
postgres.close();
sqlite.ledger.close();
rmSync(sqlite.folder, { recursive: true });
const at = (list: readonly number[], share: number): number =>
  list.toSorted((a, b) => a - b)[Math.floor(list.length * share)] ?? 0;
const half = (list: readonly number[]): number => at(list, 0.5);
const [mine, file, plain] = [half(times.postgres), half(times.sqlite), half(times.bare)];
process.stderr.write(
  `a decision at ${ROWS} rows, in PostgreSQL without fsync: ${ms(mine)} (half of ${ROUNDS}), ${ms(at(times.postgres, 0.99))} ` +
    `(99 of 100). To reach: 3 ms (half). Load of this computer: ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} cores\n`,
);
const what = "a decision in PostgreSQL on this computer beside 100,000 machines, half of them";
const figures: Figure[] = [
  { what, measured: ms(mine), against: "3 ms", ratio: mine / 3, toReach: "<= 1" },
  { what, measured: ms(mine), against: `the same in SQLite: ${ms(file)}`, ratio: mine / file, toReach: "-" },
  {
    ...{ what, measured: ms(mine), against: `its statements by bare pg: ${ms(plain)}` },
    ...{ ratio: mine / plain, toReach: "<= 1.5" },
  },
];
process.stdout.write(JSON.stringify(figures));
