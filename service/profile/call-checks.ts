import { TERMINAL_STATES } from "../contract/contract.ts";
import { USD } from "../contract/money.ts";
import type { DocumentProblem, Path } from "../document/document-problem.ts";
import { CALL_NAMES, type Call, callOf, placeholdersInCall } from "./calls.ts";
import type { WireProfile } from "./profile.ts";

/** Contradictions in what a profile 2 adds, and what a profile 1 has of it. */
export function calls(profile: WireProfile): readonly DocumentProblem[] {
  return profile.profile === 1
    ? ofTwo(profile)
    : [...moved(profile), ...each(profile), ...noneOf(profile), ...money(profile)];
}

/** A profile 1 means for ever what it meant, so it has nothing of a profile 2. */
function ofTwo({
  auth,
  calls,
  account,
  balance,
  currency,
  billing,
  deployments,
  launch,
  offers,
  stop,
  errors,
  limits,
}: WireProfile): readonly DocumentProblem[] {
  const { id, status, failureCode, stopReason, currency: priced } = deployments?.fields ?? {};
  const added: readonly (readonly [unknown, Path])[] = [
    [calls, ["calls"]],
    [auth?.token, ["auth", "token"]],
    [account, ["account"]],
    [balance, ["balance"]],
    [typeof launch?.id === "object" || undefined, ["launch", "id"]],
    ...(["accepted", "createdAt", "refusals"] as const).map(
      (name) => [launch?.[name], ["launch", name]] as const,
    ),
    [stop?.accepted, ["stop", "accepted"]],
    [errors?.soldOut, ["errors", "soldOut"]],
    [limits?.launchEvery, ["limits", "launchEvery"]],
    [currency, ["currency"]],
    [billing, ["billing"]],
    [offers?.fields.currency, ["offers", "fields", "currency"]],
    [deployments?.records, ["deployments", "records"]],
    [deployments?.get?.missing, ["deployments", "get", "missing"]],
    [launch?.mayVanish, ["launch", "mayVanish"]],
    [deployments?.ended, ["deployments", "ended"]],
    [deployments?.states.replace, ["deployments", "states", "replace"]],
    [offers?.counts, ["offers", "counts"]],
    [offers?.fields.extra, ["offers", "fields", "extra"]],
    [offers?.fields.prepaidHours, ["offers", "fields", "prepaidHours"]],
    ...Object.entries({ id, status, failureCode, stopReason, currency: priced }).map(
      ([name, place]) => [place, ["deployments", "fields", name]] as const,
    ),
    ...Object.entries(deployments?.fields ?? {}).map(
      ([name, place]) => [isOfTwo(place), ["deployments", "fields", name]] as const,
    ),
    ...Object.entries(offers?.fields ?? {}).map(
      ([name, place]) => [isOfTwo(place), ["offers", "fields", name]] as const,
    ),
    [hasStar(deployments?.list?.items), ["deployments", "list", "items"]],
    [hasStar(offers?.list.items), ["offers", "list", "items"]],
  ];
  const missing = (["method", "path"] as const).filter(
    (name) => stop !== undefined && stop[name] === undefined,
  );
  return [
    ...added.flatMap(([value, path]) =>
      value === undefined
        ? []
        : [
            {
              path,
              message: 'is of a profile 2, which this file says it is not: write "profile: 2" at its top',
            },
          ],
    ),
    ...missing.map((name) => ({
      path: ["stop", name],
      message: `is missing: expected ${name === "method" ? '"POST" or "DELETE" or "PUT" or "PATCH"' : "a path that begins with / and has {id} in it"}`,
    })),
  ];
}

/** True for a place of a profile 2; else undefined. */
function isOfTwo(place: unknown): true | undefined {
  if (typeof place === "string") return /^\d/.test(place) || undefined;
  if (place === null || typeof place !== "object") return undefined;
  return "text" in place || "count" in place || isOfTwo("pointer" in place ? place.pointer : undefined);
}

function hasStar(items: string | undefined): true | undefined {
  return items?.split("/").includes("*") || undefined;
}

/** The specification's balance is always in USD (section 8). */
function money({ currency, balance }: WireProfile): readonly DocumentProblem[] {
  if (currency === undefined || currency === USD) return [];
  if (!Intl.supportedValuesOf("currency").includes(currency))
    return [
      {
        path: ["currency"],
        message: `${JSON.stringify(currency)} is no currency of ISO 4217: write one such as EUR`,
      },
    ];
  return balance === undefined
    ? [
        {
          path: ["currency"],
          message: `the specification's balance is in USD: say where this service has its own, balance: { amount: ... }, or balance: { none: true }`,
        },
      ]
    : [];
}

/** What a profile 2 says in one place only. */
function moved({ stop, launch, calls, deployments, offers }: WireProfile): readonly DocumentProblem[] {
  const there: readonly (readonly [unknown, Path, string])[] = [
    ...(["method", "path", "body"] as const).map(
      (name) => [stop?.[name], ["stop", name], `calls.stop.${name}`] as const,
    ),
    [deployments?.list?.query, ["deployments", "list", "query"], "calls.list.query"],
    [offers?.list.query, ["offers", "list", "query"], "calls.offers.query"],
    [
      calls?.launch?.body,
      ["calls", "launch", "body"],
      `launch.body${launch ? "" : ", which this profile lacks"}`,
    ],
  ];
  return there.flatMap(([value, path, place]) =>
    value === undefined ? [] : [{ path, message: `stands at ${place} in a profile 2: write it there` }],
  );
}

/** A record may show no state for a moment while its machine runs: that is no end. */
function noneOf({ deployments }: WireProfile): readonly DocumentProblem[] {
  const { status } = deployments?.fields ?? {};
  const none = typeof status === "object" && "none" in status ? status.none : undefined;
  const { aliases = {}, terminal = [], replace = [] } = deployments?.states ?? {};
  const state = none === undefined ? undefined : (aliases[none] ?? none);
  if (state === undefined) return [];
  const problem = (why: string): readonly DocumentProblem[] => [
    { path: ["deployments", "fields", "status", "none"], message: `${JSON.stringify(none)} ${why}` },
  ];
  if ([...TERMINAL_STATES, ...terminal].includes(state))
    return problem(
      "ends a machine, and a record without a state proves no end: another one would be rented beside it",
    );
  return replace.includes(state)
    ? problem(
        "has a machine stopped (states.replace), and a record without a state may be of one that serves",
      )
    : [];
}

/** Headers that are not the profile's to say. */
const NOT_OURS = ["host", "content-length", "content-type", "connection", "transfer-encoding"];

function each(profile: WireProfile): readonly DocumentProblem[] {
  return CALL_NAMES.flatMap((name) => {
    const call = callOf(profile, name);
    const stated = profile.calls?.[name];
    if (call === undefined) {
      return name === "stop" && stated !== undefined
        ? [
            {
              path: ["calls", "stop"],
              message: "lacks method or path: the specification shows no stop, so both are needed",
            },
          ]
        : [];
    }
    if (stated === undefined) return [];
    const path: Path = ["calls", name];
    const problem = (at: string, message: string): DocumentProblem => ({ path: [...path, at], message });
    const used = placeholdersInCall(call);
    const acts = name === "launch" || name === "stop";
    return [
      ...(!acts && call.method !== "GET" && stated.reads !== true
        ? [
            problem(
              "method",
              `${call.method} may change something, and this call is made again and again: if it only reads, say "reads: true" beside it`,
            ),
          ]
        : []),
      ...(acts && call.method === "GET"
        ? [problem("method", `a GET changes nothing, so it is no ${name}`)]
        : []),
      ...(!acts &&
      call.method !== "GET" &&
      (["launch", "stop"] as const).some((act) => isAlike(call, callOf(profile, act)))
        ? [problem("reads", "is wrong: a call that launches or stops has this method and path, too")]
        : []),
      ...(acts && stated.reads ? [problem("reads", `is wrong: a ${name} changes something`)] : []),
      ...(call.method === "GET" && stated.body ? [problem("body", "is not sent with a GET")] : []),
      ...((name === "get" || name === "stop") && !used.includes("id")
        ? [
            {
              path,
              message: `has {id} nowhere: put it into path, query or body, where the call says which deployment it means`,
            },
          ]
        : []),
      ...Object.keys(call.headers)
        .filter((header) => [...NOT_OURS, profile.auth?.header?.toLowerCase()].includes(header.toLowerCase()))
        .map((header) => problem("headers", `${header} is written by the client itself`)),
      ...Object.keys(call.query)
        .filter((key) => key === profile.auth?.query)
        .map((key) => problem("query", `${key} carries the credential, by auth.query: take it out here`)),
    ];
  });
}

function isAlike({ method, path }: Call, other: Call | undefined): boolean {
  return method === other?.method && path === other.path;
}
