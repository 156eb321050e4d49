// @module-tag repeats
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { buildGoProgram } from "../../../scripts/setup/go-program.mjs";
import { Prng } from "../../../simulator/prng.ts";
import { CUTS, CuttingProxy } from "../../support/cutting-proxy.ts";
import { sharedServer, TestServer } from "../../support/postgres.ts";

/*
 * What several processes were told by one ledger, while connections are cut at any place, processes stand still, and the server dies: one order
 * has to explain all of it. Porcupine searches it (proof/postgres/histories). By hand: HISTORIES=200.
 */
const PROCESSES = 4;
const ROUNDS = 40;
const HISTORIES = Number(process.env.HISTORIES ?? 1);

const SCRIPT = new URL("./history-child.ts", import.meta.url).pathname;
const folder = mkdtempSync(join(tmpdir(), "histories-"));
const checker = join(folder, "histories");
const built = await buildGoProgram({
  ...{ what: "the checker of histories", takes: "some seconds", command: ".", output: checker },
  recipe: join(import.meta.dirname, "../../../proof/postgres/histories"),
  log: join(folder, "log"),
  env: process.env,
});
if (built && process.env.CI) throw new Error(`${built.failed}`);
const isPossible = !built && (await sharedServer()) !== undefined;

type Line = Readonly<Record<string, unknown>>;

function judged(history: readonly Line[]): { readonly holds: boolean; readonly said: string } {
  const input = history.map((line) => JSON.stringify(line)).join("\n");
  const { status, stdout } = spawnSync(checker, { input, encoding: "utf8" });
  return { holds: status === 0, said: stdout };
}

interface Running {
  readonly lines: Line[];
  readonly ended: Promise<number>;
  /** It stands still for so long. */
  pause(ms: number): Promise<void>;
}

function start(url: string, number: number, planted: readonly string[]): Running {
  const args = [SCRIPT, url, `${number}`, `${ROUNDS}`, ...planted];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  const lines: Line[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => lines.push(JSON.parse(line) as Line));
  return {
    lines,
    ended: once(child, "close").then(([code]) => code as number),
    pause: async (ms) => {
      child.kill("SIGSTOP");
      await sleep(ms);
      child.kill("SIGCONT");
    },
  };
}

interface Faults {
  readonly seed: string;
  /** Half-way the server dies, and one comes back that lacks the newest decisions. */
  readonly loses?: boolean;
  readonly planted?: readonly string[];
}

async function played({ seed, loses = false, planted = [] }: Faults): Promise<readonly Line[]> {
  const server = await TestServer.start();
  onTestFinished(() => server.end());
  const database = await server.database();
  const proxy = await CuttingProxy.before(server.port);
  const random = new Prng(`history ${seed}`);
  proxy.cut = () => (random.next() < 0.01 ? CUTS[Math.floor(random.next() * CUTS.length)] : undefined);
  const all = Array.from({ length: PROCESSES }, (_, at) =>
    start(database.urlAt(proxy.port), at + 1, planted),
  );
  const lines = (): readonly Line[] => all.flatMap((each) => each.lines);
  const told = (least: number) => expect.poll(() => lines().length).toBeGreaterThan(least);
  await told(15);
  const lost = loses ? [await failOver(server, () => told(lines().length + 15))] : [];
  for (const at of [0, 1]) {
    await told(60 + 20 * at);
    await all[at]?.pause(300);
  }
  expect(await Promise.all(all.map(({ ended }) => ended))).toEqual(all.map(() => 0));
  return [...lines(), ...lost];
}

/** As a standby that is promoted and lacks what was stored since it was copied. */
async function failOver(server: TestServer, onward: () => Promise<void>): Promise<Line> {
  const [{ data } = {}] = await server.sql("SELECT current_setting('data_directory') AS data");
  await server.kill();
  execFileSync("cp", ["-a", String(data), `${data}-standby`]);
  await server.restart();
  await onward();
  const call = Number(process.hrtime.bigint());
  await server.kill();
  rmSync(String(data), { recursive: true, force: true });
  renameSync(`${data}-standby`, String(data));
  await server.restart();
  return { kind: "lost", process: 0, call, return: Number(process.hrtime.bigint()) };
}

describe.skipIf(!isPossible)("a history of four processes on one ledger in PostgreSQL", () => {
  it("is explained by one order, whatever connection is cut and whoever stands still", async () => {
    for (let seed = 1; seed <= HISTORIES; seed++)
      expect(judged(await played({ seed: `${seed}` })), `seed ${seed}`).toMatchObject({ holds: true });
  });

  it("is explained by one order after a failover, but for the newest decisions that are lost once", async () => {
    for (let seed = 1; seed <= HISTORIES; seed++) {
      const history = await played({ seed: `failover ${seed}`, loses: true });
      expect(judged(history), `seed ${seed}`).toMatchObject({ holds: true });
      // Without the word that some were lost nothing explains it.
      expect(judged(history.filter(({ kind }) => kind !== "lost"))).toMatchObject({ holds: false });
    }
  });

  it("is explained by none where decisions do not take turns", async () => {
    expect(judged(await played({ seed: "planted", planted: ["no-lock"] }))).toMatchObject({ holds: false });
  });
});
