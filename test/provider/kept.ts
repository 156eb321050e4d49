import { hostname } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { type NewToken, revokeToken } from "../../agent/orders/tokens.ts";
import { type Watch, watch } from "../../agent/tell/http/index.ts";
import type { HttpServer } from "../../agent/tell/http/reach/listening.ts";
import { contextOf, type Keeper } from "../../launch/keeper.ts";
import { openSqliteLedger } from "../../ledger/sqlite/sqlite-ledger.ts";
import { openEnvironment } from "../../provider/runtime/host/open-environment.ts";
import type { Environment } from "../../provider/runtime/session/environment.ts";
import { openStackCalls } from "../../provider/runtime/stack-calls.ts";
import type { VirtualClock } from "../../simulator/index.ts";
import { type Stage, type StageOptions, stage } from "../support/stage.ts";
import { giveToken } from "../support/token.ts";

/** The agent's own token. */
const OWN = "correct-horse-battery-staple";

/** A stage with an agent that serves its API, and stacks that have nothing but its address. */
export interface Kept extends Stage {
  readonly url: string;
  /** Makes a token, and gives its secret. */
  token(name: string, more?: Partial<NewToken>): Promise<string>;
  revoke(name: string): Promise<void>;
  /** A process that asks, as a host of Pulumi's does. */
  desk(token: string): KeptDesk;
  /** What answers stacks in the agent that lives now. */
  stacks(): ReturnType<typeof openStackCalls>;
  /** What a machine's command answered, by its name. */
  readonly ran: string[];
  /** Ends the agent: in a moment, as kill -9 does, or as it ends itself. */
  end(how: "killed" | "stopped"): Promise<void>;
  /** The next agent, at the same address. */
  begin(): Promise<void>;
  close(): Promise<void>;
}

export interface KeptDesk extends Environment {
  readonly lines: string[];
  /** As Ctrl-C does. */
  interrupt(): void;
}

export async function kept(options: StageOptions = {}): Promise<Kept> {
  const ledger = openSqliteLedger({ path: ":memory:", newId: "testledger00", now: Date.UTC(2030, 0, 1) });
  const on = await stage({ ledger, ...options });
  const ran: string[] = [];
  let port = 0;
  let agent: { server: HttpServer; watched: Watch<Keeper>; stacks: ReturnType<typeof openStackCalls> };
  const begin = async (): Promise<void> => {
    const stacks = openStackCalls({
      keeper: on.keeper,
      hide: (text) => text,
      host: hostname(),
      usedParameters: () => undefined,
      whyNotRun: (program) => (program === "check.sh" ? undefined : `there is no ${program}`),
      ask: async () => ({ kind: "good" }),
      run: async (row, { command }) => void ran.push(`${command[0]} ${row.id}`),
    });
    const watched = watch({ keeper: on.keeper, history: ledger, version: "1.2.3", stacks });
    const server = await watched.serve({ host: "127.0.0.1", port }, OWN);
    port = Number(new URL(server.url).port);
    agent = { server, watched, stacks };
  };
  await begin();
  const open: AbortController[] = [];
  return {
    ...on,
    ran,
    stacks: () => agent.stacks,
    get url() {
      return agent.server.url.slice(0, -1);
    },
    token: (name, more = {}) => giveToken(on, { name, may: "declare", ...more }),
    revoke: async (name) => {
      await ledger.decide(on.keeper.account, (draft) => revokeToken(draft, name, contextOf(on.keeper)));
      await on.clock.advance(1_000);
    },
    desk: (token) => {
      const lines: string[] = [];
      const ending = new AbortController();
      open.push(ending);
      const env = openEnvironment({
        given: { agent: agent.server.url.slice(0, -1), token },
        variables: {},
        say: (text, name) => lines.push(name === undefined ? text : `${name}: ${text}`),
        signal: ending.signal,
      });
      return { ...env, lines, interrupt: () => ending.abort(new Error("Ctrl-C")) };
    },
    begin,
    end: async (how) => {
      const { watched, stacks } = agent;
      await watched.close();
      // What it was doing may go on until its ledger knows: as the death of its process does, nobody hears of it.
      if (how === "stopped") await played(on.clock, stacks.close());
      else void played(on.clock, stacks.close());
    },
    close: async () => {
      for (const each of open) each.abort(new Error("the test is over"));
      await agent.watched.close();
      await played(on.clock, agent.stacks.close());
      await on.stop();

      ledger.close();
    },
  };
}

/** Lets time go on until this is over: it waits for sockets, too. */
export async function played<T>(clock: VirtualClock, promise: Promise<T>): Promise<T> {
  let isOver = false;
  const over = promise.then(
    () => {
      isOver = true;
    },
    () => {
      isOver = true;
    },
  );
  while (!isOver) {
    await clock.advance(500);
    await Promise.race([over, sleep(4)]);
  }
  return promise;
}
