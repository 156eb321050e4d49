import { ACTIVE_STATES, API_PREFIX, PATHS, TERMINAL_STATES } from "../../../service/contract/contract.ts";
import type { Json } from "../../../service/contract/service.ts";
import { CALL_NAMES, callOf, pathPattern } from "../../../service/profile/calls.ts";
import type { WireProfile } from "../../../service/profile/profile.ts";
import { bestList } from "../shape/best-list.ts";
import { errorGuesses } from "../shape/errors.ts";
import { fieldGuesses } from "../shape/field-guesses.ts";
import { NOTHING_KNOWN } from "../shape/fields.ts";
import { leavesOf, NOTHING } from "../shape/leaves.ts";
import { deploymentIn, isObject, type JsonObject, listsIn } from "../shape/lists.ts";
import { type Kind, kindOf, type SavedAnswer, type SavedRequest } from "./exchange.ts";

/** The address of a request: what stands before `/api/v1`, the path from there on, and the query. */
export interface Address {
  readonly before: string;
  readonly path: string | undefined;
  readonly query: URLSearchParams;
}

export function addressOf({ url }: SavedRequest): Address {
  const [place = "", query = ""] = (url.split("#")[0] ?? "").split(/\?(.*)/s);
  const start = `${place}/`.indexOf(`${API_PREFIX}/`);
  return {
    before: start < 0 ? place : place.slice(0, start),
    path: start < 0 ? undefined : place.slice(start).replace(/\/+$/, ""),
    query: new URLSearchParams(query),
  };
}

/** What a request is about, by method and path: as the specification shows them (section 4), or the profile says. */
export function kindOfRequest(method: string, path: string | undefined): Kind | undefined {
  const kind = path === undefined ? undefined : kindByCalls(SPECIFIED, method, path);
  const mayStop = method !== "GET" && method !== "HEAD" && path !== PATHS.deployments;
  return kind ?? (mayStop ? "stop" : undefined);
}

const SPECIFIED = { profile: 1, name: "" } as WireProfile;

/** The calls without an id in their path come first: `/machines/search` is no machine of that name. */
export function kindByCalls(profile: WireProfile, method: string, path: string): Kind | undefined {
  const fits = CALL_NAMES.filter((name) => {
    const call = callOf(profile, name);
    return call?.method === method && pathPattern(call.path).test(path);
  });
  const name = fits.find((each) => callOf(profile, each)?.path.includes("{") === false) ?? fits[0];
  return name && kindOf(name);
}

/** What an answer is about, by what it holds. A text says why nobody can know. */
export function kindOfAnswer(answer: SavedAnswer): { readonly kind: Kind } | { readonly why: string } {
  const { status, json } = answer;
  if (status !== undefined && status >= 400) return { kind: "error" };
  if (isObject(json) && "email" in json && "display_name" in json) return { kind: "account" };
  if (isObject(json) && "balance" in json && "currency" in json) return { kind: "balance" };
  const deployments = bestList("deployments", json);
  if (deployments !== undefined) {
    if (deployments.deployments.some(isCertainlyDeployment)) return { kind: "deployments" };
    return {
      why: "it has a list whose items have id and status, but none in a state that the specification names: it may be deployments or offers",
    };
  }
  if (isCreated(status)) return { kind: "launch" };
  if (deploymentIn(json) !== undefined)
    return { why: "it has one deployment: it may be the answer to a launch, or to a GET of its id" };
  const objects = bestList("offers", json)?.objects;
  if (objects !== undefined && looksLikeOffers(objects)) return { kind: "offers" };
  if (objects !== undefined)
    return { why: "it has a list, and its items look neither like deployments nor like offers" };
  if (status === undefined && json !== undefined && errorGuesses([json]).length > 0) return { kind: "error" };
  if (listsIn(json).some(({ length }) => length === 0))
    return { why: "it has an empty list, which shows nothing: save one with a machine or an offer in it" };
  return { why: "nothing in it says what it is" };
}

function isCreated(status: number | undefined): boolean {
  return status === 201 || status === 202;
}

const NAMED: readonly string[] = [...ACTIVE_STATES, ...TERMINAL_STATES];

function isCertainlyDeployment(record: JsonObject): boolean {
  return NAMED.includes(String(record.status)) || "failure_code" in record || "stop_reason" in record;
}

function looksLikeOffers(objects: readonly Json[]): boolean {
  const guesses = fieldGuesses("offers", objects, leavesOf(objects, NOTHING), NOTHING_KNOWN);
  return guesses.some(({ field }) => field === "gpus" || field.startsWith("price"));
}
