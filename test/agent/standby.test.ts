import { describe, expect, it } from "vitest";
import { isAgentAlive } from "../../agent/fleet/phase/agent-alive.ts";
import { Holder, heldKeeper } from "../../agent/reconcile/holder.ts";
import { runLoop } from "../../agent/reconcile/loop.ts";
import { accountStatus, ledgerStatus } from "../../agent/status/account-status.ts";
import type { Keeper } from "../../launch/keeper.ts";
import { contextOf } from "../../launch/keeper.ts";
import type { History } from "../../ledger/chart-history.ts";
import type { Leases } from "../../ledger/lease.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { MemoryLedger } from "../../ledger/memory/memory-ledger.ts";
import { FleetkeeperError } from "../../service/contract/errors.ts";
import type { Stage } from "../support/stage.ts";
import { H100 } from "../support/stage.ts";
import { candidate, draftOf, MINUTE, onStage, SECOND } from "./on-stage.ts";

const wish = { gpus: 16, candidates: [candidate(H100)] };

async function leasedStage() {
  const clock = { now: () => 0 };
  const ledger = new MemoryLedger("testledger00", () => clock.now());
  const on = await onStage({ ledger });
  clock.now = () => on.clock.now();
  return { on, ledger };
}

interface TestAgent {
  readonly keeper: Keeper;
  readonly said: string[];
  ticks: number;
  /** All errors that the loop told. */
  readonly errors: string[];
  /** Stands still from now on, as after SIGSTOP. */
  freeze(): void;
  thaw(): void;
  /** As SIGTERM. */
  end(): Promise<void>;
}

/** An agent of another process that keeps the stage's account by a lease. */
function agentOn({ keeper: given, clock: virtual }: Stage, ledger: MemoryLedger, pid: number): TestAgent {
  let frozen: PromiseWithResolvers<void> | undefined;
  const pass = async <T>(work: () => Promise<T>): Promise<T> => {
    await frozen?.promise;
    try {
      return await work();
    } finally {
      await frozen?.promise;
    }
  };
  const clock: Keeper["clock"] = {
    self: { ...given.clock.self, pid },
    now: () => given.clock.now(),
    // On several hosts nobody is known to be dead.
    isAlive: () => true,
    sleep: (ms, signal) => pass(() => virtual.sleep(ms, signal)),
  };
  const { leases } = ledger;
  const slow: Leases<Ledger & History> = {
    take: (...by) => pass(() => leases.take(...by)),
    renew: (...by) => pass(() => leases.renew(...by)),
    giveBack: (lease) => pass(() => leases.giveBack(lease)),
    look: (accounts) => pass(() => leases.look(accounts)),
    onGivenBack: (...by) => leases.onGivenBack(...by),
    asHolder: (held) => {
      const inner = leases.asHolder(held);
      return { ...inner, decide: (account, decision) => pass(() => inner.decide(account, decision)) };
    },
  };
  const holder = new Holder({ id: `holder${pid}`, clock, leases: slow });
  const service: Keeper["service"] = {
    ...given.service,
    deployments: (signal) => pass(() => given.service.deployments(signal)),
  };
  const held: Keeper & { ledger: Ledger & History } = { ...given, ledger, service, clock };
  const keeper = heldKeeper(held, holder);
  const said: string[] = [];
  const errors: string[] = [];
  const ending = new AbortController();
  const agent: TestAgent = {
    ...{ keeper, said, errors },
    ticks: 0,
    freeze: () => {
      frozen = Promise.withResolvers();
    },
    thaw: () => {
      frozen?.resolve();
      frozen = undefined;
    },
    end: async () => {
      ending.abort();
      await virtual.run(ended);
    },
  };
  const work = (signal: AbortSignal): Promise<void> => {
    said.push("keeps");
    const onTick = (): void => {
      agent.ticks += 1;
    };
    return runLoop(
      { keeper, host: `host${pid}`, onTick, onError: (error) => errors.push(error.message) },
      signal,
    );
  };
  const ended = holder.keep(
    {
      ...{ account: given.account, work },
      onStandby: () => {
        if (said.at(-1) !== "stands by") said.push("stands by");
      },
      onError: (error) => errors.push(error.message),
      onLost: () => said.push("lost it"),
    },
    ending.signal,
  );
  return agent;
}

describe("of two agents on a ledger with leases", () => {
  it("one keeps the account, and the other stands by; it goes on within 10 s of a death, and with the same machines", async () => {
    const { on, ledger } = await leasedStage();
    await on.declare({ training: wish });
    const first = agentOn(on, ledger, 7);
    await on.clock.advance(SECOND);
    const second = agentOn(on, ledger, 8);
    await on.clock.advance(10 * MINUTE);
    expect([first.said, second.said]).toEqual([["keeps"], ["stands by"]]);
    expect(first.ticks).toBeGreaterThan(10);
    expect((await ledger.read(on.keeper.account)).account.agent).toMatchObject({ host: "host7" });
    first.freeze();
    await on.clock.advance(10 * SECOND);
    expect(second.said).toEqual(["stands by", "keeps"]);
    expect((await ledger.read(on.keeper.account)).account.agent).toMatchObject({ host: "host8" });
    await on.clock.advance(MINUTE);
    expect(second.ticks).toBeGreaterThan(2);
    expect(on.launches()).toBe(2);
    await second.end();
  });

  it("one that stood still and wakes stores nothing, sends nothing, and stands by", async () => {
    const { on, ledger } = await leasedStage();
    const first = agentOn(on, ledger, 7);
    await on.clock.advance(SECOND);
    const second = agentOn(on, ledger, 8);
    await on.clock.advance(MINUTE);
    await on.declare({ training: wish });
    // In the middle of a tick: the decision to launch is the next thing it does.
    await on.clock.advance(14 * SECOND);
    first.freeze();
    await on.clock.advance(MINUTE);
    expect(on.launches()).toBe(2);
    const stored = ledger.commits;
    const { ticks } = first;
    first.thaw();
    await on.clock.advance(1);
    expect(first.said).toEqual(["keeps", "lost it", "stands by"]);
    expect(ledger.commits).toBe(stored);
    await on.clock.advance(10 * MINUTE);
    expect(first.said).toEqual(["keeps", "lost it", "stands by"]);
    expect(first.ticks).toBe(ticks);
    expect([on.launches(), on.alive().length]).toEqual([2, 2]);
    // And it takes over like any other.
    await second.end();
    await on.clock.advance(2 * SECOND);
    expect(first.said.at(-1)).toBe("keeps");
    await first.end();
  });

  it("one that ends in order leaves the account at once", async () => {
    const { on, ledger } = await leasedStage();
    const first = agentOn(on, ledger, 7);
    await on.clock.advance(SECOND);
    const second = agentOn(on, ledger, 8);
    await on.clock.advance(MINUTE);
    const before = on.clock.now();
    await first.end();
    expect(second.said).toEqual(["stands by", "keeps"]);
    expect((await ledger.read(on.keeper.account)).account.agent).toMatchObject({ process: { pid: 8 } });
    // Its next look would come later.
    expect(on.clock.now()).toBe(before);
    await second.end();
  });

  it("none launches that cannot be sure of its lease, though nobody else has taken it", async () => {
    const { on, ledger } = await leasedStage();
    const { leases } = ledger;
    const renew = leases.renew;
    const agent = agentOn(on, ledger, 7);
    await on.clock.advance(MINUTE);
    Object.assign(leases, {
      renew: async () => {
        throw new FleetkeeperError("LEDGER_BUSY", "away");
      },
    });
    await on.clock.advance(6 * SECOND);
    await on.declare({ training: wish });
    await on.clock.advance(MINUTE);
    expect(on.launches()).toBe(0);
    expect((await ledger.read(on.keeper.account)).intents.map(({ state }) => state)).toContain("notSent");
    Object.assign(leases, { renew });
    await on.clock.advance(5 * MINUTE);
    expect(on.launches()).toBe(2);
    await agent.end();
  });
});

it("an agent that died on another host is not shown any more once its lease is over, though its beat is fresh", async () => {
  const { on, ledger } = await leasedStage();
  const agent = agentOn(on, ledger, 7);
  await on.clock.advance(MINUTE);
  const shown = async () => (await ledgerStatus(ledger, contextOf(agent.keeper))).accounts[0]?.agent?.host;
  const ofThis = async () =>
    (await accountStatus(ledger, on.keeper.account, contextOf(agent.keeper))).agent?.host;
  expect([await shown(), await ofThis()]).toEqual(["host7", "host7"]);
  agent.freeze();
  await on.clock.advance(10 * SECOND);
  expect(isAgentAlive(await draftOf(on), contextOf(agent.keeper))).toBe(true);
  expect([await shown(), await ofThis()]).toEqual([undefined, undefined]);
  agent.thaw();
  await agent.end();
});

describe("leases of many accounts", () => {
  const accounts = Array.from({ length: 12 }, (_, index) => `a${index}`);

  async function ledgerOf(on: Stage, ledger: MemoryLedger): Promise<readonly string[]> {
    return Promise.all(
      accounts.map((id) =>
        ledger.openAccount({
          baseUrl: on.keeper.service.baseUrl,
          account: { id, email: id, display_name: "", created_at: "" },
        }),
      ),
    );
  }

  function holderOn(on: Stage, { leases }: MemoryLedger, id: string, keys: readonly string[]) {
    const ending = new AbortController();
    const kept = new Set<string>();
    const taken: string[] = [];
    const holder = new Holder({ leases, id, clock: on.keeper.clock });
    const work =
      (account: string) =>
      async (signal: AbortSignal): Promise<void> => {
        kept.add(account);
        taken.push(account);
        await new Promise((resolve) => signal.addEventListener("abort", resolve));
        kept.delete(account);
      };
    const ignore = (): void => undefined;
    const all = keys.map((account) =>
      holder.keep(
        { account, onStandby: ignore, onError: ignore, onLost: ignore, work: work(account) },
        ending.signal,
      ),
    );
    const end = async (): Promise<void> => {
      ending.abort();
      await on.clock.run(Promise.all(all));
    };
    return { kept, taken, end };
  }

  it("have their work ended as soon as another agent has taken one, and of no other account", async () => {
    const { on, ledger } = await leasedStage();
    const keys = await ledgerOf(on, ledger);
    const agent = holderOn(on, ledger, "one", keys);
    await on.clock.advance(MINUTE);
    expect(agent.kept.size).toBe(12);
    const { term = 0 } = (await ledger.leases.look(keys)).get(keys[3] ?? "") ?? {};
    ledger.restoreLease({ account: keys[3] ?? "", holder: "two", term: term + 1 });
    const two = [{ account: keys[3] ?? "", holder: "two", term: term + 1 }];
    await ledger.leases.renew(two, MINUTE);
    await on.clock.advance(3 * SECOND);
    expect(keys.filter((key) => !agent.kept.has(key))).toEqual([keys[3]]);
    await agent.end();
  });

  it("go on, and others are taken, while one cannot be had", async () => {
    const { on, ledger } = await leasedStage();
    const keys = await ledgerOf(on, ledger);
    const { take } = ledger.leases;
    const stuck: unknown[] = [];
    Object.assign(ledger.leases, {
      take: (...by: Parameters<typeof take>) => {
        if (by[0] !== keys[3] && by[0] !== keys[7]) return take(...by);
        stuck.push(by[0]);
        return on.clock.sleep(5 * SECOND).then(() => {
          throw new FleetkeeperError("LEDGER_BUSY", "its row is locked");
        });
      },
    });
    const agent = holderOn(on, ledger, "one", keys);
    await on.clock.advance(10 * MINUTE);
    expect(new Set(stuck)).toEqual(new Set([keys[3], keys[7]]));
    expect(keys.filter((key) => !agent.kept.has(key))).toEqual([keys[3], keys[7]]);
    expect([...(await ledger.leases.look(keys)).values()].filter(({ isFree }) => isFree)).toEqual([]);
    expect(agent.taken).toHaveLength(10);
  });

  it("are spread over agents that start together, each with one keeper, and stay where they are", async () => {
    const { on, ledger } = await leasedStage();
    const keys = await ledgerOf(on, ledger);
    const agents = ["one", "two", "three"].map((id) => holderOn(on, ledger, id, keys));
    await on.clock.advance(MINUTE);
    expect(new Set(agents.flatMap(({ kept }) => [...kept])).size).toBe(12);
    expect(agents.reduce((sum, { taken }) => sum + taken.length, 0)).toBe(12);
    for (const { kept } of agents) expect(kept.size).toBeGreaterThanOrEqual(1);
    await on.clock.advance(10 * MINUTE);
    expect(agents.reduce((sum, { taken }) => sum + taken.length, 0)).toBe(12);
    await Promise.all(agents.map(({ end }) => end()));
    expect([...(await ledger.leases.look(keys)).values()].every(({ isFree }) => isFree)).toBe(true);
  });

  it("that are free are left to an agent that keeps none, by one that has its share", async () => {
    const { on, ledger } = await leasedStage();
    const keys = await ledgerOf(on, ledger);
    const leaving = holderOn(on, ledger, "leaving", keys.slice(0, 6));
    const full = holderOn(on, ledger, "full", keys);
    await on.clock.advance(MINUTE);
    const fresh = holderOn(on, ledger, "fresh", keys);
    await on.clock.advance(MINUTE);
    expect([leaving.kept.size + full.kept.size, fresh.kept.size]).toEqual([12, 0]);
    await leaving.end();
    await on.clock.advance(MINUTE);
    expect(full.kept.size + fresh.kept.size).toBe(12);
    expect(fresh.kept.size).toBeGreaterThanOrEqual(4);
    await Promise.all([full.end(), fresh.end()]);
  });
});
