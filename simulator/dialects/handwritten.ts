import type { HttpResponse } from "../../service/contract/transport.ts";
import type { Dialect, Operation, Result, WireRequest } from "../dialect.ts";
import type { MachineView } from "../machine.ts";
import type { Listing } from "../market.ts";
import type { RefusalReason } from "../refusal-reason.ts";

/**
 * A dialect written by hand. It uses no profile and none of the code that reads profiles backwards, so it
 * finds a mistake that both sides make in the same way. Its profile, for the client only, is
 * handwritten.profile.yaml.
 */
export const handwritten: Dialect = {
  name: "handwritten",

  credential({ headers }) {
    return /^pass=(.*);v=1$/.exec(headers["x-gpu-pass"] ?? "")?.[1];
  },

  read(request): Operation | RefusalReason {
    const { method, path, query } = request;
    const route = path.startsWith("/api/v1/") ? path.slice("/api/v1/".length).split("/") : [];
    const [room, item, ...more] = route;
    if (room === "account" && more.length === 0 && method === "GET") {
      if (item === undefined) return { kind: "account" };
      if (item === "balance") return { kind: "balance" };
    }
    if (room === "offers" && item === undefined && method === "GET") {
      if (query.get("view") !== "full") return { kind: "invalid", message: "Only view=full is known." };
      return { kind: "offers", continues: query.has("after") };
    }
    if (room === "deployments" && item === undefined) {
      if (method === "GET") return { kind: "deployments", continues: query.has("after") };
      if (method === "POST") return readOrder(request.body);
    }
    if (room === "deployments" && item !== undefined && item !== "" && more.length === 0) {
      if (method === "GET") return { kind: "deployment", id: item };
      if (method === "DELETE") return { kind: "stop", id: item };
    }
    return { kind: "notFound", message: "Nothing here." };
  },

  write(result: Result, request): HttpResponse {
    switch (result.kind) {
      case "account":
        return say(200, {
          id: result.account.id,
          email: result.account.email,
          display_name: result.account.displayName,
          created_at: new Date(result.account.createdAt).toISOString(),
        });
      case "balance":
        return say(200, { balance: result.balance.toFixed(4), currency: "USD" });
      case "deployments":
        return walk(result.machines.map(deployment), (record) => record.id, 7, request);
      case "offers":
        return walk(
          result.listings.map(offer),
          ({ what, from, where }) => [what, from, where].join("|"),
          11,
          request,
        );
      case "deployment":
        return say(200, { result: deployment(result.machine) });
      case "launched":
        return say(202, { ticket: { deployment: result.machine.id } });
      case "stopping":
        return { status: 204, headers: {}, body: "" };
      default:
        return sayNo(result, request.now);
    }
  },
};

function readOrder(body: string | undefined): Operation | RefusalReason {
  const problem: RefusalReason = { kind: "invalid", message: "The order is not understood." };
  let order: unknown;
  try {
    order = (JSON.parse(body ?? "") as { order?: unknown }).order;
  } catch {
    return problem;
  }
  if (typeof order !== "object" || order === null) return problem;
  const { what, from, where, tags } = order as Record<string, unknown>;
  if (typeof what !== "string" || typeof from !== "string" || typeof where !== "string") return problem;
  if (!Array.isArray(tags) || tags.length !== 2 || !tags.every((tag) => typeof tag === "string"))
    return problem;
  return {
    kind: "launch",
    combination: { offer: what, provider: from, location: where },
    marker: tags[1],
    parameters: {},
  };
}

function deployment(view: MachineView): Record<string, unknown> & { readonly id: string } {
  const { offer, provider, location } = view.combination;
  return {
    id: view.id,
    status: view.status === "stopped" ? "released" : view.status,
    ...(view.failure && {
      failure_code: view.failure.code,
      trouble: { text: view.failure.reason, advice: view.failure.suggestedAction },
    }),
    ...(view.stopReason && { stop_reason: view.stopReason }),
    order: {
      what: offer,
      from: provider,
      where: location,
      tags: view.marker === undefined ? [] : ["fleetkeeper", view.marker],
    },
    ordered_at: new Date(view.createdAt).toISOString(),
    rate: { amount: view.pricePerHour, per: "hour" },
    hardware: { gpus: view.gpus, model: view.gpuModel },
    ...(view.connection && {
      access: `ssh://${view.connection.user}@${view.connection.host}:${view.connection.port}`,
    }),
  };
}

function offer({ combination, gpus, gpuModel, pricePerHour, capacity, taken }: Listing) {
  return {
    what: combination.offer,
    from: combination.provider,
    where: combination.location,
    hardware: { gpus, model: gpuModel },
    rate: { amount: pricePerHour, per: "hour" },
    in_stock: taken < capacity,
  };
}

/** The cursor names the last item that was seen: new items can neither hide nor repeat another one. */
function walk<T>(
  items: readonly T[],
  key: (item: T) => string,
  atMost: number,
  { query }: WireRequest,
): HttpResponse {
  const after = query.get("after");
  const limit = Math.min(atMost, Number(query.get("limit") ?? atMost) || atMost);
  const start = after === null ? 0 : items.findIndex((item) => mask(key(item)) === after) + 1;
  const results = items.slice(start, start + limit);
  const last = results.at(-1);
  const more = last !== undefined && start + limit < items.length;
  return say(200, { results, paging: more ? { next: mask(key(last)) } : {} });
}

function mask(key: string): string {
  return `c_${Buffer.from(key).toString("hex")}`;
}

const REFUSALS = {
  unauthorized: [401, "who_are_you"],
  notFound: [404, "nothing_there"],
  methodNotAllowed: [404, "nothing_there"],
  invalid: [400, "not_understood"],
  insufficientBalance: [402, "balance_too_low"],
  notStoppable: [410, "no_longer_there"],
  tooManyRequests: [429, "too_fast"],
  coolingDown: [503, "offer_cooling_down"],
} as const;

function sayNo(problem: RefusalReason, now: number): HttpResponse {
  const [status, kind] =
    problem.kind === "serverError" ? [problem.status, "our_fault"] : REFUSALS[problem.kind];
  const response = say(status, { problem: { kind, text: problem.message } });
  if (!("waitMs" in problem)) return response;
  // A date has whole seconds. It is rounded up: whoever waits until then has waited long enough.
  const until = new Date(Math.ceil((now + problem.waitMs) / 1000) * 1000).toUTCString();
  return {
    ...response,
    headers: { ...response.headers, date: new Date(now).toUTCString(), "retry-after": until },
  };
}

function say(status: number, body: unknown): HttpResponse {
  return {
    status,
    headers: { "content-type": "application/json; charset=utf-8" },
    body: JSON.stringify(body),
  };
}
