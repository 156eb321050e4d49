import { COOLING_DOWN_STATUS, OFFER_COOLING_DOWN, PATHS } from "../../service/contract.ts";
import { formatUsd } from "../../service/money.ts";
import type { WireProfile } from "../../service/profile.ts";
import type { HttpResponse } from "../../service/transport.ts";
import type { Dialect, Operation, WireRequest } from "../dialect.ts";
import type { Json } from "../json.ts";
import type { MachineView } from "../machine.ts";
import type { RefusalReason } from "../refusal-reason.ts";
import { DEFAULT_MANNERS, type Manners } from "./manners.ts";
import { type ListShape, page, span, wrongQuery } from "./pages.ts";
import { type Draft, put } from "./pointer.ts";
import { deploymentRecord, offerRecord } from "./records.ts";
import { Mismatch, parseSent, readBackwards } from "./template.ts";

/** The place of a list that the profile does not map. Any place will do: no client can read it. */
const UNMAPPED: ListShape = { items: "/items", pagination: { kind: "none" } };

/** The service that a wire profile describes: the profile read from the service's side. */
export function speak(profile: WireProfile, manners: Manners = DEFAULT_MANNERS): Dialect {
  const deployments = profile.deployments?.list ?? UNMAPPED;
  const offers = profile.offers?.list ?? UNMAPPED;
  // A view never changes, so its record is made once: long lists are asked for often.
  const records = new WeakMap<MachineView, Draft>();
  const recordOf = (view: MachineView): Draft => {
    const known = records.get(view) ?? deploymentRecord(profile, manners, view);
    records.set(view, known);
    return known;
  };
  return {
    name: profile.name,
    credential: ({ headers }) => credential(profile, headers),
    read: (request) => read(profile, manners, request),
    write(result, request) {
      switch (result.kind) {
        case "account": {
          const { id, email, displayName, createdAt } = result.account;
          const created_at = new Date(createdAt).toISOString();
          return json(200, { id, email, display_name: displayName, created_at });
        }
        case "balance":
          return json(200, { balance: formatUsd(result.balance), currency: "USD" });
        case "deployments": {
          const items = result.machines.map(recordOf);
          return list(deployments, manners, manners.order === "newest" ? items.reverse() : items, request);
        }
        case "offers":
          return list(
            offers,
            manners,
            result.listings.map((listing) => offerRecord(profile, manners, listing)),
            request,
          );
        case "deployment": {
          const record = deploymentRecord(profile, manners, result.machine);
          return json(200, put(undefined, profile.deployments?.get?.item ?? "", record));
        }
        case "launched":
          return launched(profile, manners, result.machine);
        case "stopping":
          return manners.stopStatus === 204
            ? { status: 204, headers: {}, body: "" }
            : json(manners.stopStatus, deploymentRecord(profile, manners, result.machine));
        default:
          return refusal(profile, manners, result);
      }
    },
  };
}

function read(profile: WireProfile, manners: Manners, request: WireRequest): Operation | RefusalReason {
  const { method, path, query } = request;
  const stopping = profile.stop === undefined ? undefined : idIn(profile.stop.path, path);
  if (profile.stop !== undefined && stopping !== undefined && method === profile.stop.method) {
    const { body } = profile.stop;
    if (body === undefined) return { kind: "stop", id: stopping };
    return understood(request.body, body) ?? { kind: "stop", id: stopping };
  }
  const id = idIn("/api/v1/deployments/{id}", path);
  if (id !== undefined) return method === "GET" ? { kind: "deployment", id } : notAllowed;
  switch (path) {
    case PATHS.account:
      return method === "GET" ? { kind: "account" } : notAllowed;
    case PATHS.balance:
      return method === "GET" ? { kind: "balance" } : notAllowed;
    case PATHS.offers:
      return method === "GET"
        ? readList("offers", profile.offers?.list ?? UNMAPPED, manners, query)
        : notAllowed;
    case PATHS.deployments:
      if (method === "POST") return readLaunch(profile, request);
      return method === "GET"
        ? readList("deployments", profile.deployments?.list ?? UNMAPPED, manners, query)
        : notAllowed;
  }
  return { kind: "notFound", message: `There is nothing at ${path}.` };
}

function readList(
  kind: "deployments" | "offers",
  shape: ListShape,
  manners: Manners,
  query: URLSearchParams,
): Operation | RefusalReason {
  const wrong = wrongQuery(shape, query);
  if (wrong !== undefined)
    return { kind: "invalid", message: `The query parameter ${wrong} is missing or wrong.` };
  return { kind, continues: span(shape, manners.pageSize, query).start > 0 };
}

function readLaunch(profile: WireProfile, request: WireRequest): Operation | RefusalReason {
  if (profile.launch === undefined) return notAllowed;
  const values = new Map<string, Json>();
  const problem = understood(request.body, profile.launch.body, values);
  if (problem !== undefined) return problem;
  // A value that the profile fixes for all deployments need not be sent.
  const { fields } = profile.deployments ?? {};
  const text = (name: "offer" | "provider" | "location"): string => {
    const place = fields?.[name];
    return String(values.get(name) ?? (typeof place === "object" ? place.value : ""));
  };
  const parameters = [...values].filter(([name]) => name.startsWith("parameters."));
  return {
    kind: "launch",
    combination: { offer: text("offer"), provider: text("provider"), location: text("location") },
    marker: values.get("marker"),
    parameters: Object.fromEntries(
      parameters.map(([name, value]) => [name.slice("parameters.".length), value]),
    ),
  };
}

/** Undefined if the template can make this body. `values` then holds what was put in. */
function understood(
  body: string | undefined,
  template: Json,
  values?: Map<string, Json>,
): RefusalReason | undefined {
  try {
    readBackwards(template, parseSent(body ?? ""), "", values);
    return undefined;
  } catch (error) {
    if (!(error instanceof Mismatch || error instanceof SyntaxError)) throw error;
    return { kind: "invalid", message: `The body is not understood: ${error.message}` };
  }
}

function credential({ auth }: WireProfile, headers: Readonly<Record<string, string>>): string | undefined {
  const given = headers[auth?.header.toLowerCase() ?? "authorization"];
  const [before = "", after = ""] = auth?.value.split("{secret}") ?? [];
  if (given === undefined || !given.startsWith(before) || !given.endsWith(after)) return undefined;
  return given.slice(before.length, given.length - after.length);
}

function launched(profile: WireProfile, manners: Manners, machine: MachineView): HttpResponse {
  const { id, deployment } = profile.launch ?? {};
  let body: Draft = {};
  if (deployment !== undefined) body = put(body, deployment, deploymentRecord(profile, manners, machine));
  if (id !== undefined) body = put(body, id, machine.id);
  return json(manners.launchStatus, body);
}

function list(
  shape: ListShape,
  manners: Manners,
  records: readonly Draft[],
  request: WireRequest,
): HttpResponse {
  const { body, headers } = page(shape, manners.pageSize, records, request);
  const response = json(200, body);
  return { ...response, headers: { ...response.headers, ...headers } };
}

function refusal(profile: WireProfile, manners: Manners, problem: RefusalReason): HttpResponse {
  const { status, code } = statusAndCode(profile, manners, problem);
  const errors: NonNullable<WireProfile["errors"]> = profile.errors ?? { definite: {} };
  let body: Draft = {};
  if (errors.code !== undefined) body = put(body, errors.code, code);
  if (errors.message !== undefined) body = put(body, errors.message, problem.message);
  if (!("waitMs" in problem)) return json(status, body);
  const seconds = Math.ceil(problem.waitMs / 1000);
  if (errors.retryAfter !== undefined) body = put(body, errors.retryAfter, seconds);
  // Where the profile names a place in the body, only the cooldown's error has the header: it is specified.
  const header = problem.kind === "coolingDown" || errors.retryAfter === undefined;
  const response = json(status, body);
  return header
    ? { ...response, headers: { ...response.headers, "retry-after": String(seconds) } }
    : response;
}

function statusAndCode(
  { stop }: WireProfile,
  { refusals }: Manners,
  problem: RefusalReason,
): { readonly status: number; readonly code: string } {
  switch (problem.kind) {
    case "coolingDown":
      return { status: COOLING_DOWN_STATUS, code: OFFER_COOLING_DOWN };
    case "serverError":
      return { status: problem.status, code: "internal_error" };
    case "notStoppable":
      return { status: stop?.gone.statuses?.[0] ?? 409, code: stop?.gone.codes?.[0] ?? "already_stopped" };
    default:
      return refusals[problem.kind];
  }
}

const notAllowed: RefusalReason = { kind: "methodNotAllowed", message: "This method is not allowed here." };

/** The `{id}` in a path such as `/api/v1/deployments/{id}/stop`. Undefined if the path does not match. */
function idIn(template: string, path: string): string | undefined {
  const [before = "", after = ""] = template.split("{id}");
  if (!path.startsWith(before) || !path.endsWith(after)) return undefined;
  const id = path.slice(before.length, path.length - after.length);
  return id === "" || id.includes("/") ? undefined : decodeURIComponent(id);
}

function json(status: number, body: Draft): HttpResponse {
  return { status, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}
