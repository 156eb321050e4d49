import { readFileSync } from "node:fs";
import { setImmediate as nextRound } from "node:timers/promises";
import { runLoop } from "../../agent/reconcile/loop.ts";
import { agentClientOver } from "../../agent/remote/agent-client.ts";
import type { StackCall } from "../../agent/tell/http/api/stacks.ts";
import { openKeeper } from "../../agent/whatif/stage-keeper.ts";
import type { Keeper } from "../../launch/keeper.ts";
import { openSqliteLedger } from "../../ledger/sqlite/sqlite-ledger.ts";
import { openAgentLink } from "../../provider/runtime/host/agent-link.ts";
import type { Environment } from "../../provider/runtime/session/environment.ts";
import { openStackCalls } from "../../provider/runtime/stack-calls.ts";
import { type HttpRequest, type Transport, TransportError } from "../../service/contract/transport.ts";
import { readProfile } from "../../service/profile/profile-file.ts";
import { dialectProfilePath } from "../../simulator/index.ts";
import { type Stage, stage } from "../support/stage.ts";
import { giveToken } from "../support/token.ts";
import { deskOn } from "./support.ts";

/** Whoever dies, and where a request or its answer is then. */
export type Who = "agent" | "asker";
const MOMENTS = [
  "before it is sent",
  "once it was received",
  "as its answer goes",
  "once it is answered",
] as const;
/** Such as `call 3 as its answer goes`: of a stack to its agent. `order 2 ...`: of the agent to the service, and no GET. */
export type Moment = `${"call" | "order"} ${number} ${(typeof MOMENTS)[number]}`;

/** A process: dead, it goes no further, as after kill -9. What it waits for never comes. */
class Life {
  alive = true;
  readonly end = Promise.withResolvers<never>();

  constructor() {
    // Nobody may be waiting for it.
    this.end.promise.catch(() => undefined);
  }

  die(): void {
    this.alive = false;
    this.end.reject(new Error("killed"));
  }

  async gate<T>(work: () => T | Promise<T>): Promise<T> {
    if (!this.alive) return NEVER;
    try {
      return await work();
    } finally {
      if (!this.alive) await NEVER;
    }
  }
}
const NEVER = new Promise<never>(() => undefined);

export interface Mortal extends Stage {
  /** A process that asks, as a host of Pulumi's does. `dead` rejects when it is killed. */
  asker(): { readonly desk: Environment; readonly dead: Promise<never> };
  /** All that was passed, in this order. */
  readonly passed: Moment[];
  /** How often somebody died. */
  deaths(): number;
  close(): Promise<void>;
}

/** An agent whose stacks ask by a wire, of which `who` dies once at `at`. The next agent begins at once. */
export async function mortal(who?: Who, at?: Moment): Promise<Mortal> {
  const ledger = openSqliteLedger({ path: ":memory:", newId: "testledger00", now: Date.UTC(2030, 0, 1) });
  const on = await stage({ ledger });
  await giveToken(on, { name: "ci", may: "declare" });
  const actor = { name: "token:ci", may: "declare", token: "ci" } as const;
  const passed: Moment[] = [];
  let [calls, orders, deaths] = [0, 0, 0];
  let asking = new Life();
  let agent: Awaited<ReturnType<typeof agentOf>>;

  /** Whether this is where somebody dies. Then that has happened. */
  const pass = (moment: Moment): boolean => {
    passed.push(moment);
    if (moment !== at || deaths > 0) return false;
    deaths += 1;
    if (who === "asker") asking.die();
    else {
      agent.life.die();
      agent = next;
      agent.begin();
    }
    return true;
  };

  async function agentOf(pid: number) {
    const life = new Life();
    const transport: Transport = async (request, signal) => {
      if (request.method === "GET") return life.gate(() => on.simulator.transport(request, signal));
      const order = `order ${++orders}` as const;
      return life.gate(async () => {
        if (pass(`${order} before it is sent`) && !life.alive) return NEVER;
        const answer = await on.simulator.transport(request, signal);
        pass(`${order} once it was received`);
        pass(`${order} as its answer goes`);
        void nextRound().then(() => pass(`${order} once it is answered`));
        return answer;
      });
    };
    const simulator = { apiKey: on.simulator.apiKey, transport } as typeof on.simulator;
    const path = dialectProfilePath("plain");
    const profile = readProfile(readFileSync(path, "utf8"), path);
    const opened = await openKeeper({ simulator, clock: on.clock, profile, tenure: "exclusive", ledger });
    const { clock } = opened;
    const keeper: Keeper = {
      ...opened,
      ledger: new Proxy(ledger, {
        get: (target, key) => {
          const value = Reflect.get(target, key);
          if (typeof value !== "function") return value;
          return (...args: readonly unknown[]) => {
            if (!life.alive) return NEVER;
            const answer = Reflect.apply(value, target, args);
            return answer instanceof Promise ? life.gate(() => answer) : answer;
          };
        },
      }),
      clock: {
        self: { ...clock.self, pid },
        now: () => clock.now(),
        sleep: (ms, signal) => life.gate(() => clock.sleep(ms, signal)),
        isAlive: (process) => process.pid === agent.pid && agent.life.alive,
      },
    };
    const ending = new AbortController();
    let loop: Promise<void> | undefined;
    const stacks = openStackCalls({
      keeper,
      hide: (text) => text,
      host: "here",
      usedParameters: () => undefined,
      whyNotRun: () => undefined,
      ask: async () => ({ kind: "good" }),
      run: async () => undefined,
    });
    return {
      pid,
      life,
      stacks,
      begin: () => {
        loop = runLoop(
          { keeper, host: "here", onTick: () => undefined, onError: () => undefined },
          ending.signal,
        );
      },
      close: async () => {
        ending.abort(new Error("the test is over"));
        if (life.alive) await Promise.all([loop, stacks.close()]);
      },
    };
  }

  const first = await agentOf(2);
  const next = await agentOf(3);
  agent = first;
  agent.begin();

  const lost = (): TransportError => new TransportError("NO_ANSWER", "the connection was reset");
  const wire = (life: Life): Transport => {
    const known = new Map<string, number>();
    return async ({ url, body, method }: HttpRequest) => {
      const id = new URL(url).pathname.split("/").at(-1) ?? "";
      if (method === "DELETE") {
        agent.stacks.cut(id, actor);
        return { status: 200, headers: { "content-type": "application/json" }, body: "null" };
      }
      const isNew = !known.has(id);
      const call = `call ${known.get(id) ?? ++calls}` as const;
      if (isNew) known.set(id, calls);
      return life.gate(async () => {
        if (isNew) pass(`${call} before it is sent`);
        if (!life.alive) return NEVER;
        const answers = agent;
        const answering = answers.stacks.ask(
          id,
          JSON.parse(body ?? "") as StackCall,
          actor,
          new AbortController().signal,
        );
        if (isNew) pass(`${call} once it was received`);
        const answer = await Promise.race([
          answering,
          answers.life.end.promise.catch(() => Promise.reject(lost())),
        ]);
        if ("refused" in answer) throw new Error(answer.text);
        if (answer.done && pass(`${call} as its answer goes`) && who === "agent") throw lost();
        if (answer.done) void nextRound().then(() => pass(`${call} once it is answered`));
        return {
          status: answer.done ? 200 : 202,
          headers: { "content-type": "application/json" },
          body: JSON.stringify(answer),
        };
      });
    };
  };
  return {
    ...on,
    passed,
    deaths: () => deaths,
    asker: () => {
      asking = new Life();
      const life = asking;
      const address = { url: "https://keeper.example.com", token: "fk_x", folder: "" };
      const link = openAgentLink(address, {}, agentClientOver(address, wire(life)));
      return { desk: { ...deskOn(on), agent: () => link }, dead: life.end.promise };
    },
    close: async () => {
      await Promise.all([first.close(), next.close(), on.stop()]);
      ledger.close();
    },
  };
}
