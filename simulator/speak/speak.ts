import { COOLING_DOWN_STATUS, OFFER_COOLING_DOWN, TERMINAL_STATES } from "../../service/contract/contract.ts";
import { formatUsd, type Usd } from "../../service/contract/money.ts";
import type { HttpResponse } from "../../service/contract/transport.ts";
import type { WireProfile } from "../../service/profile/profile.ts";
import { milliseconds } from "../../service/text/duration.ts";
import type { Terms } from "../bill.ts";
import type { Dialect, Operation, WireRequest } from "../dialect.ts";
import type { MachineView } from "../machine.ts";
import type { RefusalReason } from "../refusal-reason.ts";
import { type Call, callsOf, readPath, readRest } from "./calls.ts";
import { DEFAULT_MANNERS, type Manners } from "./manners.ts";
import { isNested } from "./nested.ts";
import { type ListShape, page, span, wrongQuery } from "./pages.ts";
import { type Draft, put } from "./pointer.ts";
import { deploymentRecord, extraOf, offerRecord, ownExtras } from "./records.ts";
import { Mismatch, type Values } from "./template.ts";
import { tokenDesk } from "./tokens.ts";

/** The place of a list that the profile does not map. Any place will do: no client can read it. */
const UNMAPPED: ListShape = { items: "/items", pagination: { kind: "none" } };

/** The service that a wire profile describes: the profile read from the service's side. */
export function speak(profile: WireProfile, manners: Manners = DEFAULT_MANNERS): Dialect {
  const deployments = profile.deployments?.list ?? UNMAPPED;
  const offers = profile.offers?.list ?? UNMAPPED;
  const calls = callsOf(profile);
  const desk = tokenDesk(profile);
  // A view never changes, so its record is made once: long lists are asked for often.
  const records = new WeakMap<MachineView, Draft>();
  const recordOf = (view: MachineView): Draft => {
    const known = records.get(view) ?? deploymentRecord(profile, manners, view);
    records.set(view, known);
    return known;
  };
  const isDeep = isNested(profile.deployments?.list, profile.deployments?.fields);
  /** As it stands alone. */
  const single = (view: MachineView): Draft =>
    isDeep ? (recordOf(view) as { 0: Draft })[0] : recordOf(view);
  const called = (name: Call["name"]) => calls.find((each) => each.name === name);
  const [launch, ofAccount, ofBalance] = [called("launch"), called("account"), called("balance")];
  /** One call may show both. */
  const isOne = ofAccount?.method === ofBalance?.method && ofAccount?.path === ofBalance?.path;
  const isLaunch = ({ method, path }: WireRequest): boolean =>
    launch?.method === method && readPath(launch, path) !== undefined;
  return {
    name: profile.name,
    terms: termsOf(profile.billing),
    ...(desk && { token: desk.give }),
    credential(request) {
      const given = credential(profile, request);
      return desk ? desk.keyOf(given, request.now) : given;
    },
    read: (request) => read(profile, calls, manners, request),
    isLaunch,
    write(result, request) {
      switch (result.kind) {
        case "account": {
          const { id, email, displayName, createdAt } = result.account;
          const created_at = new Date(createdAt).toISOString();
          const at = profile.account && "id" in profile.account ? profile.account : undefined;
          if (at === undefined) return json(200, { id, email, display_name: displayName, created_at });
          const shown = isOne ? balance(profile, result.balance) : undefined;
          return json(200, put(put(shown, at.id, id), at.name ?? "/email", email));
        }
        case "balance":
          return json(200, balance(profile, result.balance));
        case "deployments": {
          const items = result.machines.filter((view) => !isLeftOut(profile, view)).map(recordOf);
          return list(
            deployments,
            manners,
            manners.order === "newest" ? items.reverse() : items,
            request,
            isDeep,
          );
        }
        case "offers":
          return list(
            offers,
            manners,
            result.listings.map((listing) => offerRecord(profile, manners, listing)),
            request,
            isNested(profile.offers?.list, profile.offers?.fields),
          );
        case "deployment": {
          if (isLeftOut(profile, result.machine))
            return this.write({ kind: "notFound", message: NO_SUCH, byId: true }, request);
          const record = single(result.machine);
          return json(200, put(undefined, profile.deployments?.get?.item ?? "", record));
        }
        case "launched":
          return launched(profile, manners, result.machine.id, single(result.machine));
        case "stopping":
          return manners.stopStatus === 204
            ? { status: 204, headers: {}, body: "" }
            : json(manners.stopStatus, single(result.machine));
        default: {
          const { item = "", missing } = profile.deployments?.get ?? {};
          const isEmpty = "byId" in result && missing?.empty && !missing.statuses;
          return isEmpty
            ? json(200, put(undefined, item, null))
            : refusal(profile, manners, result, isLaunch(request));
        }
      }
    },
  };
}

const NO_SUCH = "There is no such deployment.";

/** It has ended, and this service shows then that there is none. */
function isLeftOut({ deployments }: WireProfile, { status }: MachineView): boolean {
  return deployments?.ended === "unlisted" && [...TERMINAL_STATES, "stopped"].includes(status);
}

function read(
  profile: WireProfile,
  calls: readonly Call[],
  manners: Manners,
  request: WireRequest,
): Operation | RefusalReason {
  const here = calls.flatMap((call) => {
    const found = readPath(call, request.path);
    return found ? [{ call, found }] : [];
  });
  if (here.length === 0) return { kind: "notFound", message: `There is nothing at ${request.path}.` };
  const asked = here.find(({ call }) => call.method === request.method);
  if (!asked) return notAllowed;
  const { call, found } = asked;
  try {
    readRest(call, request, found);
  } catch (error) {
    if (!(error instanceof Mismatch || error instanceof SyntaxError)) throw error;
    return { kind: "invalid", message: `The body is not understood: ${error.message}` };
  }
  const id = String(found.get("id"));
  switch (call.name) {
    case "stop":
      return { kind: "stop", id };
    case "get":
      return { kind: "deployment", id };
    case "launch":
      return launchOf(profile, found);
    case "offers":
      return readList("offers", profile.offers?.list ?? UNMAPPED, manners, request.query);
    case "list":
      return readList("deployments", profile.deployments?.list ?? UNMAPPED, manners, request.query);
    default:
      return { kind: call.name };
  }
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

function launchOf(profile: WireProfile, values: Values): Operation | RefusalReason {
  // A value that the profile fixes for all deployments need not be sent.
  const { fields } = profile.deployments ?? {};
  const text = (name: "offer" | "provider" | "location"): string => {
    const place = fields?.[name];
    return String(values.get(name) ?? (typeof place === "object" && "value" in place ? place.value : ""));
  };
  const parameters = [...values].filter(([name]) => name.startsWith("parameters."));
  const offer = values.has("offer") ? text("offer") : ofPieces(profile, values);
  const combination = { offer, provider: text("provider"), location: text("location") };
  for (const [name] of ownExtras(profile)) {
    const sent = values.get(`offer.${name}`);
    if (sent !== undefined && sent !== extraOf(combination, name))
      return { kind: "invalid", message: `The offer has another ${name}.` };
  }
  return {
    kind: "launch",
    combination,
    marker: values.get("marker"),
    // A marker that is shown as the id is the id.
    ...(fields?.id !== undefined && fields.id === fields.marker && { id: String(values.get("marker")) }),
    parameters: Object.fromEntries(
      parameters.map(([name, value]) => [name.slice("parameters.".length), value]),
    ),
  };
}

/** An offer whose name is composed, by the pieces of it that a launch sends. */
function ofPieces({ offers }: WireProfile, values: Values): string {
  const { id, extra = {} } = offers?.fields ?? {};
  if (typeof id !== "object" || !("text" in id)) return "";
  const sent = Object.entries(extra).map(
    ([name, place]) => [typeof place === "string" ? place : "count", values.get(`offer.${name}`)] as const,
  );
  return id.text.replaceAll(/\{([^{}]*)\}/g, (_whole, piece: string) =>
    String(sent.find(([pointer]) => pointer === piece)?.[1] ?? ""),
  );
}

function credential({ auth }: WireProfile, { headers, query }: WireRequest): string | undefined {
  const { header = "authorization" } = auth ?? {};
  const given = auth?.query === undefined ? headers[header.toLowerCase()] : query.get(auth.query);
  const [before = "", after = ""] = auth?.value.split(/\{(?:secret|token)\}/) ?? [];
  if (typeof given !== "string" || !given.startsWith(before) || !given.endsWith(after)) return undefined;
  return given.slice(before.length, given.length - after.length);
}

/** The specification's record, or the amount where a profile 2 reads it. */
function balance({ balance: part, currency: counted = "USD" }: WireProfile, amount: Usd): Draft {
  if (part === undefined || "none" in part) return { balance: formatUsd(amount), currency: "USD" };
  const { unit, sign, currency } = part;
  const shown = amount.times(unit === "cents" ? 100 : 1).times(sign === "debt" ? -1 : 1);
  const body = put(undefined, part.amount, Number(shown.toFixed(4)));
  return currency === undefined ? body : put(body, currency, counted);
}

const UNITS_MS = { second: 1000, minute: 60_000, hour: 3_600_000 };

function termsOf(billing: WireProfile["billing"]): Terms | undefined {
  if (billing === undefined) return undefined;
  const unitMs = UNITS_MS[billing.by];
  const { minimum, reserved } = billing;
  return {
    unitMs,
    minimumMs: minimum === undefined ? unitMs : milliseconds(minimum),
    reservedMs: reserved === undefined ? 0 : milliseconds(reserved),
  };
}

function launched(profile: WireProfile, manners: Manners, machine: string, record: Draft): HttpResponse {
  const { id, deployment, accepted } = profile.launch ?? {};
  if (typeof id === "object")
    return { status: manners.launchStatus, headers: { "content-type": "text/plain" }, body: machine };
  let body: Draft = {};
  if (deployment !== undefined) body = put(body, deployment, record);
  if (id !== undefined) body = put(body, id, machine);
  if (accepted !== undefined) body = put(body, accepted.pointer, accepted.is[0] ?? true);
  return json(manners.launchStatus, body);
}

function list(
  shape: ListShape,
  manners: Manners,
  records: readonly Draft[],
  request: WireRequest,
  isDeep: boolean,
): HttpResponse {
  const { body, headers } = page(shape, manners.pageSize, records, request, isDeep);
  const response = json(200, body);
  return { ...response, headers: { ...response.headers, ...headers } };
}

function refusal(
  profile: WireProfile,
  manners: Manners,
  problem: RefusalReason,
  isOfLaunch: boolean,
): HttpResponse {
  const { status: error, code } = statusAndCode(profile, manners, problem);
  const errors: NonNullable<WireProfile["errors"]> = profile.errors ?? { definite: {} };
  const { accepted, createdAt } = profile.launch ?? {};
  let body: Draft = {};
  if (errors.code !== undefined) body = put(body, errors.code, code);
  if (errors.message !== undefined) body = put(body, errors.message, problem.message);
  if ("machine" in problem && createdAt !== undefined) body = put(body, createdAt, problem.machine ?? null);
  // Where a word accepts a launch, another one refuses it, with the status of an answer that is good.
  const isByWord = isOfLaunch && accepted !== undefined && BY_WORD.includes(problem.kind);
  const status = isByWord ? manners.launchStatus : error;
  if (isByWord) body = put(body, accepted.pointer, accepted.is.includes(false) ? "no" : false);
  if (!("waitMs" in problem) || (problem.kind === "coolingDown" && errors.soldOut)) return json(status, body);
  const seconds = Math.ceil(problem.waitMs / 1000);
  if (errors.retryAfter !== undefined) body = put(body, errors.retryAfter, seconds);
  // Where the profile names a place in the body, only the cooldown's error has the header: it is specified.
  const header = problem.kind === "coolingDown" || errors.retryAfter === undefined;
  const response = json(status, body);
  return header
    ? { ...response, headers: { ...response.headers, "retry-after": String(seconds) } }
    : response;
}

const BY_WORD: readonly RefusalReason["kind"][] = [
  "invalid",
  "insufficientBalance",
  "coolingDown",
  "serverError",
];

function statusAndCode(
  { stop, errors, deployments }: WireProfile,
  { refusals }: Manners,
  problem: RefusalReason,
): { readonly status: number; readonly code: string } {
  switch (problem.kind) {
    case "notFound": {
      const { statuses, codes } = (problem.byId && deployments?.get?.missing) || {};
      const { status, code } = refusals.notFound;
      return { status: statuses?.[0] ?? status, code: codes?.[0] ?? code };
    }
    case "coolingDown":
      return errors?.soldOut
        ? { status: errors.soldOut.statuses?.[0] ?? 400, code: errors.soldOut.codes?.[0] ?? "sold_out" }
        : { status: COOLING_DOWN_STATUS, code: OFFER_COOLING_DOWN };
    case "serverError":
      return { status: problem.status, code: "internal_error" };
    case "notStoppable":
      return { status: stop?.gone.statuses?.[0] ?? 409, code: stop?.gone.codes?.[0] ?? "already_stopped" };
    default:
      return refusals[problem.kind];
  }
}

const notAllowed: RefusalReason = { kind: "methodNotAllowed", message: "This method is not allowed here." };

function json(status: number, body: Draft): HttpResponse {
  return { status, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}
