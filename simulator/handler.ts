import { PATHS } from "../service/contract/contract.ts";
import type { HttpRequest, HttpResponse } from "../service/contract/transport.ts";
import type { AccountState } from "./account.ts";
import type { Dialect, Operation, Result, WireRequest } from "./dialect.ts";
import type { Fault, Faults } from "./faults.ts";
import type { Journal } from "./journal.ts";
import { LaunchDesk, type LaunchTask } from "./launch-desk.ts";
import { askProvider } from "./lifecycle.ts";
import { ListMemory } from "./list-memory.ts";
import { type Machine, viewAt } from "./machine.ts";
import type { Model } from "./model.ts";
import type { RefusalReason } from "./refusal-reason.ts";
import { gatewayPage, spoil } from "./spoil.ts";

/** What the client gets. `delayMs` is in the service's time. */
type Reply =
  | { readonly kind: "answer"; readonly response: HttpResponse; readonly delayMs: number }
  /** The connection breaks without an answer. */
  | { readonly kind: "drop" }
  /** There was no connection at all. */
  | { readonly kind: "refuse" };

export type Handle = (request: HttpRequest) => Reply;

type Task = Exclude<Operation, { readonly kind: "launch" }> | LaunchTask;

interface Parts {
  readonly model: Model;
  readonly dialect: Dialect;
  readonly faults: Faults;
  readonly journal: Journal;
  readonly speed: number;
}

/** Handles one request, the same way for the HTTP server and for the in-process transport. */
export function createHandler({ model, dialect, faults, journal, speed }: Parts): Handle {
  const memory = new ListMemory(model);
  const desk = new LaunchDesk(model, journal);

  return (httpRequest) => {
    model.advance();
    const request = wireRequest(httpRequest, model.world.now);
    const token = dialect.token?.(request, (key) => accountWith(key) !== undefined);
    if (token) return { kind: "answer", response: token, delayMs: 0 };
    const account = accountOf(request);
    const read = dialect.read(request);
    if ("message" in read) {
      const reply = answer(account === undefined ? unauthorized : read, request);
      if (dialect.isLaunch?.(request) ?? isLaunch(request))
        desk.enterMisunderstood(account, reply.response.status);
      return reply;
    }
    journal.counts[read.kind] += 1;
    const fault = faults.draw(read.kind);
    if (fault !== undefined) {
      const number = journal.counts[read.kind];
      journal.faults.push({ at: model.world.now, target: read.kind, number, fault });
    }
    const task = read.kind === "launch" ? { ...read, entry: desk.enter(account, read, fault) } : read;
    const reply = respond(request, task, account, fault);
    if (task.kind === "launch") {
      task.entry.answer = reply.kind === "answer" ? { kind: "answer", status: reply.response.status } : reply;
    }
    return reply;
  };

  function respond(
    request: WireRequest,
    task: Task,
    account: AccountState | undefined,
    fault: Fault | undefined,
  ): Reply {
    switch (fault?.kind) {
      case "refuse":
        return { kind: "refuse" };
      case "dropBefore":
        return { kind: "drop" };
      case "errorBefore":
        return failure(fault.status, request);
      case "tooMany":
        return answer(
          { kind: "tooManyRequests", message: "Too many requests.", waitMs: fault.seconds * 1000 * speed },
          request,
        );
      case "commitLate":
        if (account !== undefined && task.kind === "launch") desk.launchLate(task, account, fault.seconds);
        return { kind: "drop" };
    }
    const result = account === undefined ? unauthorized : perform(task, account, fault);
    switch (fault?.kind) {
      case "dropAfter":
        return { kind: "drop" };
      case "errorAfter":
        return failure(
          fault.status,
          request,
          fault.withId && "machine" in result && typeof result.machine === "object"
            ? result.machine.id
            : undefined,
        );
    }
    const reply = answer(result, request);
    if (fault?.kind === "slow") return { ...reply, delayMs: fault.seconds * 1000 };
    if (fault?.kind === "unreadable") return { ...reply, response: spoil(reply.response, fault.how) };
    return reply;
  }

  function perform(task: Task, account: AccountState, fault: Fault | undefined): Result {
    const { now } = model.world;
    switch (task.kind) {
      case "account":
        return { kind: "account", account, balance: model.balance(account) };
      case "balance":
        return { kind: "balance", balance: model.balance(account) };
      case "deployments":
        return { kind: "deployments", machines: memory.deployments(account, task.continues, fault) };
      case "offers":
        return { kind: "offers", listings: memory.offers(account, task.continues, fault) };
      case "deployment": {
        const machine = model.find(account, task.id);
        if (machine && model.world.settings.getAsksProvider) askProvider(model.world, machine);
        const view = machine && viewAt(machine, fault?.kind === "lag" ? now - fault.seconds * 1000 : now);
        return view === undefined ? { ...notFound, byId: true } : { kind: "deployment", machine: view };
      }
      case "launch": {
        if (fault?.kind === "vanish") return shown("launched", desk.promise(task, account, fault.seconds));
        const launched = desk.launch(task, account);
        if (fault?.kind === "commitTwice" && "id" in launched) desk.repeat(task, account, fault.seconds);
        return shown("launched", launched);
      }
      case "stop":
        if (fault?.kind === "ignore") return shown("stopping", model.find(account, task.id) ?? notFound);
        return shown("stopping", model.stop(account, task.id));
    }
  }

  function shown(kind: "launched" | "stopping", outcome: Machine | RefusalReason): Result {
    if ("message" in outcome) return outcome;
    const machine = viewAt(outcome, model.world.now);
    return machine === undefined ? notFound : { kind, machine };
  }

  function answer(result: Result, request: WireRequest): Reply & { readonly kind: "answer" } {
    const scaled = "waitMs" in result ? { ...result, waitMs: result.waitMs / speed } : result;
    return { kind: "answer", response: dialect.write(scaled, request), delayMs: 0 };
  }

  /** For 502 to 504 a gateway answers, with a page of its own. */
  function failure(status: number, request: WireRequest, machine?: string): Reply {
    if (status >= 502 && status <= 504) return { kind: "answer", response: gatewayPage(status), delayMs: 0 };
    return answer({ kind: "serverError", message: "Something went wrong.", status, machine }, request);
  }

  function accountOf(request: WireRequest): AccountState | undefined {
    const key = dialect.credential(request);
    return key === undefined ? undefined : accountWith(key);
  }

  function accountWith(key: string): AccountState | undefined {
    return [...model.world.accounts.values()].find((account) => account.apiKey === key);
  }
}

const unauthorized: RefusalReason = { kind: "unauthorized", message: "The API key is missing or wrong." };
const notFound: RefusalReason & { kind: "notFound" } = {
  kind: "notFound",
  message: "There is no such deployment.",
};

function isLaunch({ method, path }: WireRequest): boolean {
  return method === "POST" && path === PATHS.deployments;
}

function wireRequest({ method, url, headers, body }: HttpRequest, now: number): WireRequest {
  const { origin, pathname, searchParams } = new URL(url);
  const lower = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  return { method, origin, path: pathname, query: searchParams, headers: lower, body, now };
}
