import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import { isAgentAlive } from "../../agent/fleet/phase/agent-alive.ts";
import { ledgerStatus } from "../../agent/status/account-status.ts";
import type { Context } from "../../launch/facts/context.ts";
import { DEFAULT_SETTINGS } from "../../launch/facts/context.ts";
import { readDraft } from "../../ledger/read-draft.ts";
import { systemClock } from "../../ledger/system-clock.ts";
import { dialectProfilePath } from "../../simulator/index.ts";
import { alive, KEY, type Place, place, running, until } from "../cli/cli.ts";
import type { Database } from "../support/postgres.ts";
import { sharedServer } from "../support/postgres.ts";

const server = await sharedServer();
const script = new URL("./standby-child.ts", import.meta.url).pathname;
const PROTOCOL = { poll: 1000, settle: 800, postTimeout: 30_000, gone: 400 };
const WISH = {
  gpus: 16,
  candidates: [{ offer: "h100-80gb-x8", provider: "aurora", location: "fi-hel", gpus: 8 }],
};

interface Child {
  readonly said: string[];
  readonly ended: Promise<unknown>;
  readonly pid: number;
  kill(signal: NodeJS.Signals): void;
  /** Waits until it says this, for the `times`th time. Gives how long that took, in ms. */
  says(text: string, times?: number): Promise<number>;
}

/** An agent in a process of its own. */
function agent(on: Place, database: Database): Child {
  const given = { baseUrl: on.url, apiKey: KEY, profile: dialectProfilePath("plain"), url: database.url };
  const settings = JSON.stringify({ ...given, protocol: PROTOCOL, wish: WISH });
  const child = spawn(process.execPath, ["--no-warnings", script, settings], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  const said: string[] = [];
  createInterface({ input: child.stdout }).on("line", (line) => said.push(line));
  return {
    said,
    ended: once(child, "exit"),
    pid: child.pid ?? 0,
    kill: (signal) => void child.kill(signal),
    says: async (text, times = 1) => {
      const begun = performance.now();
      await until(`${text} (${times})`, () => said.filter((line) => line === text).length >= times);
      return Math.round(performance.now() - begun);
    },
  };
}

async function twoAgents() {
  const on = await place();
  const database = await server!.database();
  const first = agent(on, database);
  await first.says("keeps");
  const second = agent(on, database);
  await second.says("stands by");
  await until("both machines run", () => running(on) === 2);
  const keeper = async () => {
    const [row] = await database.sql(
      "SELECT row::json->'agent'->'process'->>'pid' AS pid FROM fleetkeeper.account",
    );
    return Number(row?.pid);
  };
  return { on, database, first, second, keeper };
}

describe.skipIf(!server)("several agents on a ledger in PostgreSQL", () => {
  it("one that is killed is followed by another one, which keeps the same machines", async () => {
    const { on, first, second, keeper } = await twoAgents();
    first.kill("SIGKILL");
    const ms = await second.says("keeps");
    console.log(`taken over ${ms} ms after the kill`);
    const [lost] = alive(on);
    on.simulator.control.interrupt(lost?.id ?? "", { now: true });
    await until("a replacement runs", () => on.simulator.truth().launches.length === 3 && running(on) === 2);
    expect(await keeper()).toBe(second.pid);
  });

  it("one that is killed is not shown any more once its lease is over, minutes before its beat is old", async () => {
    const on = await place();
    const database = await server!.database();
    const killed = agent(on, database);
    await killed.says("keeps");
    await database.until("SELECT FROM fleetkeeper.account WHERE row::json->'agent'->>'host' IS NOT NULL");
    const ledger = await database.ledger();
    const clock = ledger.clockOn(systemClock());
    const wire = { profileHash: "", abilities: { marker: false, combination: false, get: false } };
    const context = (): Context => ({
      ...{ ledger: ledger.id, now: clock.now(), isAlive: () => true, settings: DEFAULT_SETTINGS },
      wire: { ...wire, isTerminal: () => false },
    });
    const shown = async () => (await ledgerStatus(ledger, context())).accounts[0]?.agent?.pid;
    expect(await shown()).toBe(killed.pid);
    killed.kill("SIGKILL");
    while ((await shown()) !== undefined) await sleep(100);
    const [{ key } = { key: "" }] = await ledger.accounts();
    expect(isAgentAlive(await readDraft({ ledger, account: key }), context())).toBe(true);
  });

  it("one that ends in order is followed at once", async () => {
    const { on, first, second } = await twoAgents();
    first.kill("SIGTERM");
    await first.says("ended in order");
    console.log(`taken over ${await second.says("keeps")} ms after the end`);
    await sleep(2 * PROTOCOL.poll);
    expect([on.simulator.truth().launches.length, running(on)]).toEqual([2, 2]);
  });

  it("one that was stopped past its lease and goes on stores nothing, launches nothing and stands by", async () => {
    const { on, database, first, second, keeper } = await twoAgents();
    // In the middle of its work: it has just seen that a machine is lost, or is about to.
    for (const [stopped, other, delay] of [
      [first, second, 400],
      [second, first, 900],
    ] as const) {
      const [lost] = alive(on);
      const { length } = on.simulator.truth().launches;
      const kept = other.said.filter((line) => line === "keeps").length;
      const stood = stopped.said.filter((line) => line === "stands by").length;
      on.simulator.control.interrupt(lost?.id ?? "", { now: true });
      await sleep(delay);
      stopped.kill("SIGSTOP");
      console.log(`taken over ${await other.says("keeps", kept + 1)} ms after the stop`);
      await until(
        "a replacement runs",
        () => on.simulator.truth().launches.length > length && running(on) === 2,
      );
      stopped.kill("SIGCONT");
      await stopped.says("stands by", stood + 1);
      expect(stopped.said).toContain("lost it");
      await sleep(3 * PROTOCOL.poll);
      expect(await keeper()).toBe(other.pid);
      expect([on.simulator.truth().launches.length, alive(on).length]).toEqual([length + 1, 2]);
    }
    // One that is stopped between its row and its POST has sent nothing: the other one calls that launch absent.
    const sent = await database.sql(
      "SELECT FROM fleetkeeper.intent WHERE state NOT IN ('notSent', 'absent')",
    );
    expect(sent).toHaveLength(on.simulator.truth().launches.length);
  });
});
