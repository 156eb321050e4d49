import { PATHS } from "../../service/contract/contract.ts";
import type { WireProfile } from "../../service/profile/profile.ts";
import type { WireRequest } from "../dialect.ts";
import type { Json } from "../json.ts";
import { Mismatch, parseSent, readBackwards, type Values } from "./template.ts";

/** A call of the service, as its profile says it, or as the specification shows it. */
export interface Call {
  readonly name: "account" | "balance" | "offers" | "list" | "get" | "launch" | "stop";
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string | number | boolean>>;
  readonly body: Json | undefined;
  readonly as: "json" | "form";
}

/** The calls that this service knows, those that name a deployment by their path first. */
export function callsOf(profile: WireProfile): readonly Call[] {
  const { calls = {}, stop, launch, account, balance } = profile;
  const call = (name: Call["name"], method: string | undefined, path: string | undefined, body?: Json) => {
    const said = calls[name];
    const known = { method: said?.method ?? method, path: said?.path ?? path };
    if (known.method === undefined || known.path === undefined) return [];
    const { query = {}, as = "json" } = said ?? {};
    return [{ name, method: known.method, path: known.path, query, body: body ?? said?.body, as }];
  };
  return [
    ...call("stop", stop?.method, stop?.path, stop?.body),
    ...call("get", "GET", `${PATHS.deployments}/{id}`),
    ...(account && "none" in account ? [] : call("account", "GET", PATHS.account)),
    ...(balance && "none" in balance ? [] : call("balance", "GET", PATHS.balance)),
    ...call("offers", "GET", PATHS.offers),
    ...call("list", "GET", PATHS.deployments),
    ...(launch ? call("launch", "POST", PATHS.deployments, launch.body) : []),
  ];
}

/** What was put into the path. Undefined: the request is for another path. */
export function readPath({ path }: Call, given: string): Values | undefined {
  const names = [...path.matchAll(/\{([^{}]+)\}/g)].map((match) => match[1] as string);
  const pattern = path
    .split(/\{[^{}]+\}/)
    .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"))
    .join("([^/]+)");
  const match = new RegExp(`^${pattern}$`).exec(given);
  if (match === null) return undefined;
  return new Map<string, Json>(names.map((name, at) => [name, decodeURIComponent(match[at + 1] as string)]));
}

/** What was put into query and body beside it. Throws Mismatch, or SyntaxError for a body that is no JSON. */
export function readRest({ query, body, as }: Call, request: WireRequest, found: Values): Values {
  for (const [name, template] of Object.entries(query)) {
    const given = request.query.get(name);
    if (given === null) throw new Mismatch(`the query parameter ${name} is missing`);
    readBackwards(String(template), given, `?${name}`, found);
  }
  if (body === undefined) return found;
  const sent =
    as === "form" ? Object.fromEntries(new URLSearchParams(request.body)) : parseSent(request.body ?? "");
  return readBackwards(body, sent, "", found);
}
