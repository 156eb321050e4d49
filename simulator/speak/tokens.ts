import type { HttpResponse } from "../../service/contract/transport.ts";
import type { WireProfile } from "../../service/profile/profile.ts";
import type { WireRequest } from "../dialect.ts";
import { readRest } from "./calls.ts";
import { put } from "./pointer.ts";
import { Mismatch } from "./template.ts";

/** Seconds, where the profile does not say it. Short, so that each test of an hour has several. */
const LASTS = 600;

/** Tokens for keys, by a profile's `auth.token`. */
export interface TokenDesk {
  /** Undefined: the request is for something else. */
  give(request: WireRequest, isKey: (key: string) => boolean): HttpResponse | undefined;
  /** Undefined for a token that was never given, or has ended. */
  keyOf(token: string | undefined, now: number): string | undefined;
}

export function tokenDesk({ auth }: WireProfile): TokenDesk | undefined {
  const part = auth?.token;
  if (part === undefined) return undefined;
  const { method = "POST", path, as = "json", body, value, expires } = part;
  const held = new Map<string, { readonly key: string; readonly until: number }>();
  const lasts = typeof expires === "object" ? expires.value : LASTS;
  return {
    give(request, isKey) {
      if (request.method !== method || request.path !== path) return undefined;
      const key = keyIn(request);
      if (key === undefined) return answer(400, { error: "invalid_request" });
      if (!isKey(key)) return answer(401, { error: "invalid_client" });
      const token = `token-${held.size + 1}-of-${request.now}`;
      held.set(token, { key, until: request.now + lasts * 1000 });
      const shown = put(undefined, value, token);
      return answer(200, typeof expires === "object" ? shown : put(shown, expires, lasts));
    },
    keyOf(token, now) {
      const found = held.get(token ?? "");
      return found && now < found.until ? found.key : undefined;
    },
  };

  function keyIn(request: WireRequest): string | undefined {
    try {
      const read = readRest({ name: "account", method, path, query: {}, body, as }, request, new Map());
      return String(read.get("secret"));
    } catch (error) {
      if (error instanceof Mismatch || error instanceof SyntaxError) return undefined;
      throw error;
    }
  }
}

function answer(status: number, body: unknown): HttpResponse {
  return { status, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
}
