import type { HttpResponse } from "../../service/contract/transport.ts";
import type { WireProfile } from "../../service/profile/profile.ts";
import type { WireRequest } from "../dialect.ts";
import { readRest } from "./calls.ts";
import { put } from "./pointer.ts";

/*
 * Tokens for the secret (OAuth2), where a profile 2 says so. The token here is the secret itself, given out for an hour.
 */
type Token = NonNullable<NonNullable<WireProfile["auth"]>["token"]>;

export function isOfToken(token: Token | undefined, { method, path }: WireRequest): token is Token {
  return token !== undefined && path === token.path && method === (token.method ?? "POST");
}

/** The secret that a token is asked for with. Undefined: the request is not understood. */
export function secretIn({ path, body, as = "json" }: Token, request: WireRequest): string | undefined {
  try {
    const call = { name: "account", method: "POST", path, query: {}, body, as } as const;
    return String(readRest(call, request, new Map()).get("secret"));
  } catch {
    return undefined;
  }
}

export function tokenAnswer({ value, expires }: Token, secret: string): HttpResponse {
  const answer = put(undefined, value, secret);
  const body = typeof expires === "string" ? put(answer, expires, 3600) : answer;
  return { status: 200, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}
