import { PATHS } from "../contract/contract.ts";
import { FleetkeeperError } from "../contract/errors.ts";
import type { Json } from "../contract/service.ts";
import type { HttpRequest } from "../contract/transport.ts";
import { fill, fillText, type Lookup, placeholdersOf } from "../text/template.ts";
import type { WireProfile } from "./profile.ts";

/*
 * What is sent for each thing that is asked of the service. The specification shows method and path of all but the
 * stop (section 4); a profile 2 may say otherwise. Nothing else of the client knows a path.
 */

/** What a call is for. */
export const CALL_NAMES = ["account", "balance", "offers", "list", "get", "launch", "stop"] as const;
export type CallName = (typeof CALL_NAMES)[number];

/** One call with its templates, which are not filled in yet. */
export interface Call {
  readonly method: HttpRequest["method"];
  readonly path: string;
  readonly query: Readonly<Record<string, string | number | boolean>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, Json>> | undefined;
  readonly as: "json" | "form";
}

const SHOWN: Readonly<Record<Exclude<CallName, "stop">, Pick<Call, "method" | "path">>> = {
  account: { method: "GET", path: PATHS.account },
  balance: { method: "GET", path: PATHS.balance },
  offers: { method: "GET", path: PATHS.offers },
  list: { method: "GET", path: PATHS.deployments },
  get: { method: "GET", path: `${PATHS.deployments}/{id}` },
  launch: { method: "POST", path: PATHS.deployments },
};

/** This call as the profile says it, and as the specification shows it where the profile says nothing. */
export function callOf(profile: WireProfile, name: Exclude<CallName, "stop">): Call;
/** Undefined for a stop that the profile does not state: the specification shows none. */
export function callOf(profile: WireProfile, name: CallName): Call | undefined;
export function callOf(profile: WireProfile, name: CallName): Call | undefined {
  const stated = { ...(name === "stop" ? profile.stop : {}), ...profile.calls?.[name] };
  const shown = name === "stop" ? {} : SHOWN[name];
  const { method, path, query = {}, headers = {}, body, as = "json" } = { ...shown, ...defined(stated) };
  if (method === undefined || path === undefined) return undefined;
  return { method, path, query, headers, body: name === "launch" ? profile.launch?.body : body, as };
}

/** True if this is a call that changes nothing by the profile's word (`reads`), whatever is in the place of an id. */
export function readsByPath(profile: WireProfile, method: string, path: string): boolean {
  const [bare = ""] = path.split("?");
  const { token } = profile.auth ?? {};
  const reading = Object.values(profile.calls ?? {}).flatMap((call) => (call?.reads ? [call] : []));
  return [...reading, ...(token ? [{ ...token, method: token.method ?? "POST" }] : [])].some(
    (call) => call.method === method && pathPattern(call.path ?? "").test(bare),
  );
}

/** The call for people: `GET /api/v1/deployments/{id}`. */
export function callText(profile: WireProfile, name: Exclude<CallName, "stop">): string {
  const { method, path } = callOf(profile, name);
  return `${method} ${path}`;
}

/** Fits the path of a request of this call. What stands for a placeholder is in groups, in their order. */
export function pathPattern(path: string): RegExp {
  const texts = path.split(/\{[^{}]*\}/).map(RegExp.escape);
  return new RegExp(`^${texts.join("([^/]+)")}$`);
}

/** The names of the placeholders anywhere in a call. */
export function placeholdersInCall({ path, query, headers, body }: Call): readonly string[] {
  return placeholdersOf([path, query, headers, body ?? {}]);
}

/**
 * The request of this call, without the credential.
 *
 * @throws FleetkeeperError CONFIG for a placeholder that has no value.
 */
export function requestOf(
  { method, path, query, headers, body, as }: Call,
  baseUrl: string,
  lookup: Lookup,
): Omit<HttpRequest, "mayLeave"> {
  const text = (template: string): string => fillText(template, lookup);
  const parameters = Object.entries(query).map(([name, value]) => [name, text(String(value))] as const);
  const url = baseUrl + fillText(path, lookup, inPath);
  const given = Object.entries(headers).map(
    ([name, value]) => [name.toLowerCase(), inHeader(name, text(value))] as const,
  );
  const filled = body && fill(body, lookup);
  return {
    method,
    url: parameters.length === 0 ? url : withQuery(url, Object.fromEntries(parameters)),
    headers: {
      ...Object.fromEntries(given),
      ...(filled === undefined ? {} : { "content-type": CONTENT_TYPES[as] }),
    },
    ...(filled === undefined ? {} : { body: as === "form" ? formOf(filled) : JSON.stringify(filled) }),
  };
}

/** `.` and `..` would lead to another address, and nothing to that of all. */
function inPath(value: string): string {
  if (value !== "" && value !== "." && value !== "..") return encodeURIComponent(value);
  throw new FleetkeeperError("CONFIG", `${JSON.stringify(value)} cannot stand in the path of a call.`);
}

/** The value is not repeated: it may be a secret of a program. */
function inHeader(name: string, value: string): string {
  if (/^[\x20-\x7e]*$/.test(value)) return value;
  throw new FleetkeeperError("CONFIG", `What the header ${name} would hold is no line of plain characters.`);
}

const CONTENT_TYPES = { json: "application/json", form: "application/x-www-form-urlencoded" } as const;

/** A list becomes its items one after the other, as forms have them. */
function formOf(body: Json): string {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(body as Readonly<Record<string, Json>>))
    for (const each of Array.isArray(value) ? (value as readonly Json[]) : [value])
      if (each !== null) form.append(name, typeof each === "object" ? JSON.stringify(each) : String(each));
  return form.toString();
}

function defined<T extends object>(of: T): Partial<T> {
  return Object.fromEntries(Object.entries(of).filter(([, value]) => value !== undefined)) as Partial<T>;
}

export function withQuery(url: string, query: Readonly<Record<string, string | number | boolean>>): string {
  const next = new URL(url);
  for (const [name, value] of Object.entries(query)) next.searchParams.set(name, String(value));
  return next.href;
}
