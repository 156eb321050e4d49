import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { PostgresServer } from "../proof/postgres/server.ts";
import type { Figure } from "./figure.ts";
import { ms } from "./figure.ts";

/*
 * Many accounts on one ledger in PostgreSQL, of 10 machines each, kept by 4 agents' processes, with all of it on
 * this computer. How late a tick is over after it was due, and what a tick costs.
 *
 *   node bench/accounts.ts [ACCOUNTS ACCOUNTS]
 */

const AGENTS = 4;
const MACHINES = 10;
const POLL_MS = 15_000;
const POLLS = 2;

interface Said {
  readonly lags: readonly number[];
  readonly cpu: number;
}

const [few = 100, many = 400] = process.argv.slice(2).map(Number);
const service = start("service.ts", [String(MACHINES), "0"]);
const { url } = JSON.parse(await service.line()) as { url: string };
const small = await measured(few);
const large = await measured(many);
service.end();
const figures: Figure[] = [
  {
    what: `lag of a tick, ${many} accounts of ${MACHINES} machines in PostgreSQL and ${AGENTS} agents, 99 of 100`,
    measured: ms(large.lag),
    against: `one poll: ${ms(POLL_MS)}`,
    ratio: large.lag / POLL_MS,
    toReach: "<= 1",
  },
  {
    what: "an agent's CPU for a tick there",
    measured: ms(large.cpu),
    against: `${few} accounts: ${ms(small.cpu)}`,
    ratio: large.cpu / small.cpu,
    toReach: "<= 1.1",
  },
  {
    what: "the server's CPU for a tick there",
    measured: ms(large.server),
    against: `${few} accounts: ${ms(small.server)}`,
    ratio: large.server / small.server,
    toReach: "<= 1.1",
  },
];
process.stderr.write(
  `transactions a tick: ${small.transactions.toFixed(1)}, ${large.transactions.toFixed(1)}\n`,
);
process.stdout.write(JSON.stringify(figures));

async function measured(accounts: number) {
  const server = await PostgresServer.start();
  const database = server.urlOf(await server.create());
  const share = [accounts / AGENTS, MACHINES, POLL_MS, POLLS].map(String);
  // Else they would all make the schema at once, which is measured elsewhere.
  const agents = Array.from({ length: AGENTS }, (_, index) =>
    start("accounts-case.ts", [database, url, `agent-${index}`, ...share]),
  );
  for (const agent of agents) await agent.line();
  const before = await spentBy(server);
  for (const agent of agents) agent.tell("go");
  const said = await Promise.all(agents.map(async (agent) => JSON.parse(await agent.line()) as Said));
  const after = await spentBy(server);
  void server.end();
  const lags = said.flatMap((each) => each.lags).toSorted((a, b) => a - b);
  return {
    lag: lags[Math.floor(lags.length * 0.99)] ?? 0,
    cpu: said.reduce((sum, { cpu }) => sum + cpu, 0) / lags.length,
    server: (after.cpu - before.cpu) / lags.length,
    transactions: (after.transactions - before.transactions) / lags.length,
  };
}

/** What the server has spent: CPU of all its processes in ms, also of those that ended, and transactions. */
async function spentBy(
  server: PostgresServer,
): Promise<{ readonly cpu: number; readonly transactions: number }> {
  const found =
    await server.sql(`SELECT pid, split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int AS parent,
    (SELECT sum(xact_commit + xact_rollback) FROM pg_stat_database) AS transactions FROM pg_stat_activity`);
  const { parent, transactions } = found[0] ?? {};
  const own = timesOf(parent);
  const all = [...own, ...found.flatMap(({ pid }) => timesOf(pid).slice(0, 2))];
  // A clock tick of Linux is a hundredth of a second.
  return { cpu: all.reduce((sum, each) => sum + each, 0) * 10, transactions: Number(transactions) };
}

/** User and system time of a process, and those of its children that have ended. Nothing of one that is gone. */
function timesOf(pid: unknown): readonly number[] {
  const stat = `/proc/${pid}/stat`;
  const fields = existsSync(stat) ? readFileSync(stat, "utf8").split(") ")[1]?.split(" ") : undefined;
  return (fields ?? []).slice(11, 15).map(Number);
}

function start(script: string, values: readonly string[]) {
  const child = spawn(process.execPath, [`${import.meta.dirname}/${script}`, ...values], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async line(): Promise<string> {
      const { value, done } = await lines.next();
      if (done) throw new Error(`${script} ended: ${(await once(child, "exit"))[0]}`);
      return value;
    },
    tell: (text: string) => child.stdin.write(`${text}\n`),
    end: () => child.stdin.end(),
  };
}
