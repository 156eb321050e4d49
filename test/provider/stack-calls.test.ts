import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { AGENT_TOKEN } from "../../agent/orders/actor.ts";
import type { StackCall } from "../../agent/tell/http/api/stacks.ts";
import { startWaitingServer } from "../../agent/tell/http/reach/listening.ts";
import { type Kept, kept, played } from "./kept.ts";
import { COMBINATION } from "./support.ts";

const never = new AbortController().signal;
const ID = "0123456789abcdef";
let on: Kept;
let call: StackCall;

beforeEach(async () => {
  on = await kept();
  on.start();
  await on.clock.advance(1_000);
  const making: StackCall = {
    ...asked,
    kind: "slot",
    method: "create",
    args: [{ label: "a/b/web", ...COMBINATION }],
  };
  const slot = await play(ask(making, "slot-slot-slot-slot"));
  const { id, outs } = (slot.done?.value ?? {}) as Readonly<
    Record<string, Readonly<Record<string, unknown>>>
  >;
  const args = [{ label: "a/b/web", ...COMBINATION, slot: id, ledger: outs?.ledger }];
  call = { ...asked, kind: "machine", method: "create", args };
});
afterEach(async () => {
  vi.useRealTimers();
  await on.close();
});

const asked = { run: "process", held: [], cutAtOnce: false, after: 0 };
const play = <T>(promise: Promise<T>): Promise<T> => played(on.clock, promise);
const launches = (): number => on.simulator.truth().launches.length;

async function ask(what: StackCall, id = ID) {
  const answer = await on.stacks().ask(id, what, AGENT_TOKEN, never);
  if ("refused" in answer) throw new Error(`${answer.refused}: ${answer.text}`);
  return answer;
}
/** Asks until it is over, as a client whose answers may be lost. */
async function end(what: StackCall) {
  for (let after = 0; ; ) {
    const { done, next } = await ask({ ...what, after });
    if (done) return done;
    after = next;
  }
}

it("a call that is asked again is the same call, also when it is over; another one needs another id", async () => {
  const [one, other] = await play(Promise.all([end(call), end(call)]));
  expect(one).toBe(other);
  expect((await play(end(call))).value).toEqual(one?.value);
  expect(launches()).toBe(1);
  await expect(ask({ ...call, method: "check" })).rejects.toThrow("otherOrder");
});

it("a call that nobody asks for is cut after a minute, and launches nothing later", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  on.simulator.control.cooldown(COMBINATION, 600);
  await play(ask(call));
  vi.advanceTimersByTime(59_000);
  expect((await play(ask({ ...call, after: 0 }))).done).toBeUndefined();
  const tried = launches();
  vi.advanceTimersByTime(61_000);
  await on.clock.advance(3_600_000);
  expect(launches()).toBe(tried);
  expect(on.alive()).toEqual([]);
});

it("an agent that stops cuts its calls, and says no end of them: the next one goes on", async () => {
  on.simulator.control.cooldown(COMBINATION, 600);
  await play(ask(call));
  const asking = expect(end(call)).rejects.toThrow("ending");
  await on.clock.advance(100);
  await play(on.stacks().close());
  await asking;
  await expect(ask(call)).rejects.toThrow("ending");
});

it("too many calls of one actor are told to wait", async () => {
  on.simulator.control.cooldown(COMBINATION, 600);
  const all = Array.from({ length: 64 }, (_, index) => ask(call, `call-number-0000-${index}`));
  await expect(ask(call, "one-call-too-many")).rejects.toThrow("tooMany");
  for (const each of all) void each.catch(() => undefined);
});

it("whoever asks for one call again and again leaves connections to probes and people", async () => {
  on.simulator.control.cooldown(COMBINATION, 600);
  let { next } = await play(ask(call));
  // Until there is nothing to tell. A request is held for true seconds, and time that went on beside them would end the cooldown.
  for (let told = 1; told > 0; ) {
    const answer = await ask({ ...call, after: next });
    [told, next] = [answer.said.length, answer.next];
  }
  const all = Array.from({ length: 140 }, () => ask({ ...call, after: next }));
  const over = Promise.allSettled(all);
  await expect(all.at(-1)).rejects.toThrow("tooMany");
  on.stacks().cut(ID, AGENT_TOKEN);
  const told = await play(over);
  expect(told.filter(({ status }) => status === "rejected")).toHaveLength(12);
  expect((await play(ask(call))).done).toBeDefined();
});

it("a program that looks up without end is told to wait: each lookup is a request of the service", async () => {
  const look: StackCall = { ...asked, kind: "lookup", method: "balance", args: [] };
  const all = Array.from({ length: 20 }, (_, index) => ask(look, `lookup-number-0000-${index}`));
  await play(Promise.all(all));
  const more = Array.from({ length: 30 }, (_, index) => ask(look, `lookup-number-0001-${index}`));
  const told = await play(Promise.allSettled(more));
  expect(told.filter(({ status }) => status === "rejected")).not.toEqual([]);
});

it("an agent whose account is not open yet says so, and not that the token is wrong", async () => {
  const server = await startWaitingServer({ host: "127.0.0.1", port: 0 }, "correct-horse-battery-staple");
  const answer = await fetch(`${server.url}api/v1/stacks/calls/${ID}`, {
    method: "POST",
    headers: { authorization: "Bearer fk_unknown" },
  });
  expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "2"]);
  await server.close();
});
