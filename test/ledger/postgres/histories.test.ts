// @module-tag repeats
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { Prng } from "../../../simulator/prng.ts";
import { CUTS, CuttingProxy } from "../../support/cutting-proxy.ts";
import { sharedServer, TestServer } from "../../support/postgres.ts";
import { builtJudge, HISTORIES, type Line, moment, startAll } from "./histories.ts";
import type { HistoryChild } from "./history-plants.ts";

/*
 * What several processes were told by one ledger, while connections are cut at any place, processes stand still, clocks are set, and the
 * server dies: one order has to explain all of it. By hand: HISTORIES=200.
 */
const PROCESSES = 4;
const HOUR = 3_600_000;
/** One process's clocks are set forward and back again, another one's back and forward. */
const CLOCKS = { 1: { 10: HOUR, 25: 0 }, 2: { 12: -HOUR, 27: 0 } };

const judged = await builtJudge();
const isPossible = judged && (await sharedServer()) !== undefined;

interface Faults {
  readonly seed: string;
  /** How a server takes the place of the first one, half-way. */
  readonly failsOver?: (server: TestServer) => Promise<FailOver>;
  /** Whose clocks are set when. */
  readonly clocks?: Readonly<Record<number, NonNullable<HistoryChild["clock"]>>>;
  readonly planted?: HistoryChild["planted"];
}

interface FailOver {
  /** It lacks what is stored from now on. */
  readonly cut: () => Promise<void>;
  /** Returns once it has the first one's place. */
  readonly go: () => Promise<void>;
  /** Where it listens, if not where the first one did. */
  readonly port?: number;
}

async function played({ seed, failsOver, clocks = {}, planted }: Faults): Promise<readonly Line[]> {
  const server = await TestServer.start();
  onTestFinished(() => server.end());
  const name = await server.create();
  const failOver = await failsOver?.(server);
  const random = new Prng(`history ${seed}`);
  const proxies = await Promise.all(
    [server.port, failOver?.port ?? []].flat().map((port) => CuttingProxy.before(port)),
  );
  for (const proxy of proxies)
    proxy.cut = () => (random.next() < 0.01 ? CUTS[Math.floor(random.next() * CUTS.length)] : undefined);
  const hosts = proxies.map(({ port }) => `127.0.0.1:${port}`).join();
  const processes = Array.from({ length: PROCESSES }, (_, at) => ({
    ...{ url: `postgres://postgres@${hosts}/${name}`, number: at + 1, clock: clocks[at + 1] ?? {} },
    ...(planted && { planted }),
  }));
  const { all, more, history } = startAll(processes);
  await more(10);
  let lost: readonly Line[] = [];
  if (failOver) {
    await failOver.cut();
    await more(10);
    const call = moment();
    await failOver.go();
    lost = [{ kind: "lost", process: 0, call, return: moment() }];
  }
  for (const at of [0, 1]) {
    await more(10);
    await all[at]?.pause(300);
  }
  return [...(await history()), ...lost];
}

/** It comes back with a copy of its files. */
async function copy(server: TestServer): Promise<FailOver> {
  const data = await server.folder();
  let files = "";
  return {
    cut: async () => {
      files = await server.copied();
    },
    go: async () => {
      await server.kill();
      rmSync(data, { recursive: true, force: true });
      renameSync(files, data);
      await server.restart();
    },
  };
}

/** A standby streams from it, asynchronously, until the network between the two is silent. Then it is promoted. */
async function standby(server: TestServer): Promise<FailOver> {
  const between = await CuttingProxy.before(server.port);
  const other = await server.standby(between.port);
  onTestFinished(() => other.end());
  const streams = () => server.sql("SELECT FROM pg_stat_replication WHERE state = 'streaming'");
  await expect.poll(streams, { timeout: 20_000 }).toHaveLength(1);
  return {
    port: other.port,
    cut: async () => {
      between.isSilent = true;
    },
    go: async () => {
      await server.kill();
      await other.sql("SELECT pg_promote()");
    },
  };
}

describe.skipIf(!isPossible)("a history of four processes on one ledger in PostgreSQL", () => {
  const holds = (history: readonly Line[]) => judged?.(history);
  /** What no order explains may be a mistake about money, and does not come again by its seed: its lines are kept. */
  const isExplained = (history: readonly Line[], seed: number): void => {
    const found = holds(history);
    if (found?.holds) return;
    const kept = join(mkdtempSync(join(tmpdir(), "history-")), "lines.jsonl");
    writeFileSync(kept, history.map((line) => `${JSON.stringify(line)}\n`).join(""));
    expect.fail(`seed ${seed}: no order explains its lines, which are kept in ${kept}`);
  };

  it.each(HISTORIES)(
    "is explained by one order, whatever connection is cut and whoever stands still (%i)",
    async (seed) => isExplained(await played({ seed: `${seed}` }), seed),
  );

  describe.each(Object.entries({ copy, standby }))("after a failover to a %s", (name, failsOver) => {
    it.each(HISTORIES)(
      "is explained by one order, but for the newest decisions that are lost once (%i)",
      async (seed) => {
        const history = await played({ seed: `${name} ${seed}`, failsOver });
        isExplained(history, seed);
        const without = history.filter(({ kind }) => kind !== "lost");
        expect(holds(without), `seed ${seed}, without the word that some were lost`).toMatchObject({
          holds: false,
        });
      },
    );
  });

  it.each([
    ["is explained where what nobody heard of was lost and made anew", { again: 3, then: 1 }, true],
    ["is explained by none where it was made anew and not lost", { again: 5, then: 3 }, false],
  ] as const)("%s", (_, { again, then }, isExplained) => {
    const line = (kind: string, number: number, [call, end]: readonly [number, number], value?: number) => ({
      ...{ kind, number, process: 1, call, return: end, value },
    });
    const history = [
      line("add", 1, [0, 10], 1),
      line("add", 2, [20, 100], again),
      line("read", 3, [30, 40], 3),
      line("lost", 0, [50, 60]),
      line("read", 4, [70, 80], then),
      line("read", 5, [110, 120], again),
    ];
    expect(holds(history)).toMatchObject({ holds: isExplained });
  });

  it.each(HISTORIES)(
    "is explained by one order, by the ledger's clock too, whosever clock is set (%i)",
    async (seed) => {
      const history = await played({ seed: `clocks ${seed}`, clocks: CLOCKS });
      isExplained(history, seed);
      // It is this computer's, and nobody set that.
      for (const { low = 0, high = Infinity } of history) {
        expect(Number(low)).toBeLessThan(Date.now());
        expect(Number(high)).toBeGreaterThan(Date.now() - HOUR / 2);
      }
    },
  );

  it.each([
    ["decisions do not take turns", { planted: "no-lock" }],
    ["a clock that jumps is not noticed", { planted: "jump-unseen", clocks: CLOCKS }],
  ] as const)("is explained by none where %s", async (_, faults) => {
    expect(holds(await played({ seed: "planted", ...faults }))).toMatchObject({ holds: false });
  });
});
