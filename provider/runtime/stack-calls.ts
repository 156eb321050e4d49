import { setTimeout as sleep } from "node:timers/promises";
import type { StackAnswer, StackCall, StackCalls } from "../../agent/tell/http/api/stacks.ts";
import { Rate } from "../../agent/tell/http/reach/rate.ts";
import type { Keeper } from "../../launch/index.ts";
import { here } from "../../ledger/instant.ts";
import { FleetkeeperError } from "../../service/contract/errors.ts";
import { digestOf } from "../stack/pair.ts";
import { fleet } from "./fleet.ts";
import { lookup } from "./host/lookups.ts";
import { sessionOf } from "./host/open-environment.ts";
import { whyNotReached } from "./host/reach.ts";
import { NotAsItShouldBe, type ResourceKind } from "./inputs/resource-kind.ts";
import { machine } from "./machine.ts";
import type { Environment, Session } from "./session/environment.ts";
import { orInterrupted } from "./session/wait-limit.ts";
import { slot } from "./slot.ts";
import { wish } from "./wish.ts";

const KINDS: Readonly<Record<string, ResourceKind>> = { slot, machine, fleet, wish };
const METHODS = ["check", "diff", "create", "read", "update", "delete", "import", "list"] as const;

/** How long a request for a call is held while there is nothing to tell. */
const HOLD_MS = 5_000;
/** A call that nobody asked for within this time has lost its asker. */
const ALONE_MS = 60_000;
/** How long its end is kept: the answer that told it may have been lost. */
const KEPT_MS = 60_000;
/** Calls of an actor at a time. An engine that is told nothing else makes fewer. */
const MOST_CALLS = 64;
/** Ends that are kept: each may be as long as a request. One that is forgotten begins again, which is what calls are made for. */
const MOST_KEPT = 100;
/** Requests that are held at a time: half of the connections that the server has, so that probes and people get theirs. */
const MOST_HELD = 128;
/** Processes that ask, whose lists are kept. */
const MOST_RUNS = 100;

type Said = StackAnswer["said"][number];
type Done = NonNullable<StackAnswer["done"]>;

/** What the agent gives to the resources of stacks, beside its account. */
export interface StackHost
  extends Pick<Environment, "usedParameters" | "run" | "ask" | "whyNotRun" | "host" | "hide"> {
  readonly keeper: Keeper;
}

/** One call. It is over once `done` is there, or once its promise has ended without: then the agent ends. */
interface Call {
  readonly actor: string;
  readonly asked: string;
  readonly said: Said[];
  readonly cut: AbortController;
  done?: Done;
  /** Resolves when there is something to tell. It is made anew then. */
  news: PromiseWithResolvers<void>;
  timer?: NodeJS.Timeout;
}

/**
 * What stacks ask of their resources, done in the agent's process: docs/how/pulumi-by-agent.md. Close it before
 * the keeper: what is under way writes down what it has sent.
 */
export function openStackCalls(host: StackHost): StackCalls & { close(): Promise<void> } {
  const { keeper } = host;
  const calls = new Map<string, Call>();
  const runs = new Map<string, Session>();
  const working = new Set<Promise<void>>();
  /** Each lookup is a request of the service, whose limits the agent needs itself. */
  const lookups = new Rate();
  let waiting = 0;
  const ending = new AbortController();

  function sessionOfRun(run: string): Session {
    const session = runs.get(run) ?? sessionOf(keeper, ending.signal);
    runs.delete(run);
    runs.set(run, session);
    const [oldest] = runs.keys();
    if (runs.size > MOST_RUNS && oldest !== undefined) runs.delete(oldest);
    return session;
  }

  function begin(key: string, { kind, method, args, run, held, cutAtOnce }: StackCall, of: Call): void {
    const signal = AbortSignal.any([ending.signal, of.cut.signal]);
    // Of the actor is what the call decides. What the lists of its process show is nobody's.
    const shared = sessionOfRun(`${of.actor} ${run}`);
    const session: Session = { ...shared, keeper: { ...keeper, actor: of.actor } };
    const env: Environment = {
      ...host,
      problem: () => undefined,
      session: async () => session,
      glimpse: async () => session,
      ledger: async () => keeper.ledger,
      ledgerThere: async () => keeper.ledger,
      held: new Set(held),
      newId: keeper.newId,
      say: (text, name, level) => {
        of.said.push({ text: host.hide(text), ...(name !== undefined && { name }), ...(level && { level }) });
        tell(of);
      },
      now: () => performance.now(),
      signal,
      ...(cutAtOnce && { cutAtOnce }),
    };
    const work = answerTo(kind, method, args, env)
      .then(
        (value) => ({ value }),
        (error) => ({
          value: null,
          error: failureOf(orInterrupted(error, signal, method === "delete"), host),
        }),
      )
      .then((end) => {
        working.delete(work);
        // An agent that ends cuts it: the next one goes on, so this is not how it ended.
        if (ending.signal.aborted) clearTimeout(of.timer);
        else {
          of.done = { held: [...env.held], ...end };
          left(key, of, KEPT_MS);
          const over = [...calls].filter(([, { done }]) => done);
          for (const [oldest] of over.slice(0, -MOST_KEPT)) calls.delete(oldest);
        }
        tell(of);
      });
    working.add(work);
  }

  /** Nobody may ask again: then it is cut, and once it is over forgotten. */
  function left(key: string, of: Call, ms: number): void {
    clearTimeout(of.timer);
    of.timer = setTimeout(() => {
      if (of.done) calls.delete(key);
      else of.cut.abort(new Error("whoever asked for it is gone: the next up or destroy goes on"));
    }, ms).unref();
  }

  return {
    async ask(id, call, actor, signal) {
      const { after, held: _held, ...what } = call;
      const [key, asked] = [`${actor.name} ${id}`, digestOf(JSON.stringify(what))];
      const refused = await whyNotReached(actor, call, keeper);
      if (refused) return refused;
      if (ending.signal.aborted) return ENDING;
      let of = calls.get(key);
      if (of && of.asked !== asked)
        return { refused: "otherOrder", text: `another call has the id ${id}: a new call needs a new id.` };
      if (!of) {
        const open = [...calls.values()].filter((each) => each.actor === actor.name && !each.done).length;
        if (open >= MOST_CALLS)
          return { refused: "tooMany", text: `${actor.name} has ${open} calls under way: ask again.` };
        if (call.kind === "lookup" && lookups.take(actor.name, here(keeper.clock).mono) > 0)
          return { refused: "tooMany", text: `${actor.name} looks up too much: ask again.` };
        of = {
          actor: actor.name,
          asked,
          said: [],
          cut: new AbortController(),
          news: Promise.withResolvers(),
        };
        calls.set(key, of);
        begin(key, call, of);
      }
      if (!of.done) left(key, of, ALONE_MS);
      // Of an agent before this one more may have been told.
      const from = after > of.said.length ? 0 : after;
      if (!of.done && of.said.length <= from) {
        if (waiting >= MOST_HELD)
          return { refused: "tooMany", text: "too many wait for this agent: ask again." };
        waiting += 1;
        await atMost(HOLD_MS, of.news.promise, signal);
        waiting -= 1;
      }
      if (!of.done && ending.signal.aborted) return ENDING;
      return { said: of.said.slice(from), next: of.said.length, ...(of.done && { done: of.done }) };
    },
    cut: (id, actor) => calls.get(`${actor.name} ${id}`)?.cut.abort(new Error("interrupted")),
    close: async () => {
      ending.abort(new Error("the agent stops: the next one goes on"));
      await Promise.all(working);
    },
  };
}

const ENDING = { refused: "ending", text: "this agent stops: ask again, as the next one goes on." } as const;

function tell(of: Call): void {
  of.news.resolve();
  of.news = Promise.withResolvers();
}

/** Ends with the news, with the request, or with the time. */
async function atMost(ms: number, news: Promise<void>, signal: AbortSignal): Promise<void> {
  const over = new AbortController();
  const time = sleep(ms, undefined, { signal: AbortSignal.any([signal, over.signal]) });
  await Promise.race([news, time.catch(() => undefined)]);
  over.abort();
}

async function answerTo(
  kind: string,
  method: string,
  args: readonly unknown[],
  env: Environment,
): Promise<unknown> {
  if (kind === "lookup") return lookup(method, args, (await env.session()).keeper.service, env.signal);
  const [found, name] = [KINDS[kind], METHODS.find((each) => each === method)];
  if (!found || name === undefined)
    throw new FleetkeeperError("CONFIG", `this agent knows no ${kind}.${method}: it is of an older version.`);
  const run = found[name]?.bind(found) as
    | ((env: Environment, ...args: readonly unknown[]) => Promise<unknown>)
    | undefined;
  if (!run) throw new FleetkeeperError("CONFIG", `${kind} has no ${method}.`);
  // JSON has no undefined: an argument that was left out came as null.
  return (await run(env, ...args.map((each) => each ?? undefined))) ?? null;
}

function failureOf(error: unknown, { hide }: StackHost): NonNullable<Done["error"]> {
  const message = hide(error instanceof Error ? error.message : String(error));
  if (error instanceof NotAsItShouldBe) return { message, id: error.id, outs: error.outs };
  return error instanceof FleetkeeperError ? { message, code: error.code } : { message };
}
