import { PATHS } from "../service/contract.ts";
import type { HttpRequest, HttpResponse } from "../service/transport.ts";
import type { AccountState } from "./account.ts";
import type { Dialect, Operation, Result, WireRequest } from "./dialect.ts";
import type { Fault, Faults } from "./faults.ts";
import type { Journal, LaunchEntry } from "./journal.ts";
import { ListMemory } from "./list-memory.ts";
import { type Machine, viewAt } from "./machine.ts";
import type { Model } from "./model.ts";
import type { Problem } from "./problem.ts";
import { gatewayPage, spoil } from "./spoil.ts";

/** What the client is to get. `delayMs` is in the service's time. */
export type Reply =
  | { readonly kind: "answer"; readonly response: HttpResponse; readonly delayMs: number }
  /** The connection breaks without an answer. */
  | { readonly kind: "drop" }
  /** There was no connection at all. */
  | { readonly kind: "refuse" };

export type Handle = (request: HttpRequest) => Reply;

interface Parts {
  readonly model: Model;
  readonly dialect: Dialect;
  readonly faults: Faults;
  readonly journal: Journal;
  readonly speed: number;
}

/** One request, whichever way it came: the same for the HTTP server and for the in-process transport. */
export function createHandler({ model, dialect, faults, journal, speed }: Parts): Handle {
  const memory = new ListMemory(model);

  return (httpRequest) => {
    model.advance();
    const request = wireRequest(httpRequest, model.world.now);
    const account = accountOf(request);
    const read = dialect.read(request);
    if ("message" in read) {
      const reply = answer(account === undefined ? unauthorized : read, request);
      if (isLaunch(request)) recordMisunderstood(account, reply.response.status);
      return reply;
    }
    journal.counts[read.kind] += 1;
    const fault = faults.draw(read.kind);
    if (fault !== undefined) journal.faults.push({ at: model.world.now, target: read.kind, fault });
    const entry = read.kind === "launch" ? record(account, read, fault) : undefined;
    const reply = respond(request, read, account, fault, entry);
    if (entry !== undefined) {
      entry.answer = reply.kind === "answer" ? { kind: "answer", status: reply.response.status } : reply;
    }
    return reply;
  };

  function respond(
    request: WireRequest,
    operation: Operation,
    account: AccountState | undefined,
    fault: Fault | undefined,
    entry: LaunchEntry | undefined,
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
        if (account !== undefined && entry !== undefined)
          commitLate(fault.seconds, operation, account, entry);
        return { kind: "drop" };
    }
    const result = account === undefined ? unauthorized : perform(operation, account, fault, entry);
    switch (fault?.kind) {
      case "dropAfter":
        return { kind: "drop" };
      case "errorAfter":
        return failure(fault.status, request);
    }
    const reply = answer(result, request);
    if (fault?.kind === "slow") return { ...reply, delayMs: fault.seconds * 1000 };
    if (fault?.kind === "unreadable") return { ...reply, response: spoil(reply.response, fault.how) };
    return reply;
  }

  function perform(
    operation: Operation,
    account: AccountState,
    fault: Fault | undefined,
    entry: LaunchEntry | undefined,
  ): Result {
    const { now } = model.world;
    switch (operation.kind) {
      case "account":
        return { kind: "account", account };
      case "balance":
        return { kind: "balance", balance: model.balance(account) };
      case "deployments":
        return { kind: "deployments", machines: memory.deployments(account, operation.continues, fault) };
      case "offers":
        return { kind: "offers", listings: memory.offers(account, operation.continues, fault) };
      case "deployment": {
        const machine = model.find(account, operation.id);
        const view = machine && viewAt(machine, fault?.kind === "lag" ? now - fault.seconds * 1000 : now);
        return view === undefined ? notFound : { kind: "deployment", machine: view };
      }
      case "launch":
        return shown("launched", launch(operation, account, entry));
      case "stop":
        return shown("stopping", model.stop(account, operation.id));
    }
  }

  function launch(
    operation: Operation & { readonly kind: "launch" },
    account: AccountState,
    entry: LaunchEntry | undefined,
  ): Machine | Problem {
    const { combination, marker, parameters } = operation;
    const origin = { by: "request", number: entry?.number ?? 0 } as const;
    const launched = model.launch({ account, combination, marker, parameters, origin });
    if (entry !== undefined) {
      entry.outcome =
        "message" in launched
          ? { kind: "refused", problem: launched.kind }
          : { kind: "committed", id: launched.id, at: launched.committedAt };
    }
    return launched;
  }

  function commitLate(
    seconds: number,
    operation: Operation,
    account: AccountState,
    entry: LaunchEntry,
  ): void {
    if (operation.kind !== "launch") return;
    const due = model.world.now + Math.ceil(seconds * 1000);
    entry.outcome = { kind: "pending", due };
    model.world.timeline.plan(due, {
      kind: "lateCommit",
      commit: () => void launch(operation, account, entry),
    });
  }

  function record(
    account: AccountState | undefined,
    operation?: Operation & { readonly kind: "launch" },
    fault?: Fault,
  ): LaunchEntry {
    const entry: LaunchEntry = {
      number: journal.launches.length + 1,
      at: model.world.now,
      account: account?.id,
      combination: operation?.combination,
      marker: operation?.marker,
      parameters: operation?.parameters ?? {},
      fault,
      outcome: account === undefined ? { kind: "refused", problem: "unauthorized" } : { kind: "lost" },
      answer: { kind: "drop" },
    };
    journal.launches.push(entry);
    return entry;
  }

  function recordMisunderstood(account: AccountState | undefined, status: number): void {
    const entry = record(account);
    if (account !== undefined) entry.outcome = { kind: "refused", problem: "invalid" };
    entry.answer = { kind: "answer", status };
  }

  function shown(kind: "launched" | "stopping", outcome: Machine | Problem): Result {
    if ("message" in outcome) return outcome;
    const machine = viewAt(outcome, model.world.now);
    return machine === undefined ? notFound : { kind, machine };
  }

  function answer(result: Result, request: WireRequest): Reply & { readonly kind: "answer" } {
    const scaled = "waitMs" in result ? { ...result, waitMs: result.waitMs / speed } : result;
    return { kind: "answer", response: dialect.write(scaled, request), delayMs: 0 };
  }

  /** Gateways in front of the service answer with pages of their own. */
  function failure(status: number, request: WireRequest): Reply {
    if (status >= 502 && status <= 504) return { kind: "answer", response: gatewayPage(status), delayMs: 0 };
    return answer({ kind: "serverError", message: "Something went wrong.", status }, request);
  }

  function accountOf(request: WireRequest): AccountState | undefined {
    const key = dialect.credential(request);
    return key === undefined
      ? undefined
      : [...model.world.accounts.values()].find((account) => account.apiKey === key);
  }
}

const unauthorized: Problem = { kind: "unauthorized", message: "The API key is missing or wrong." };
const notFound: Problem = { kind: "notFound", message: "There is no such deployment." };

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
