import type { HttpResponse, Transport } from "../../service/contract/transport.ts";
import { damagedJson, damagedText, type Edit, type Tree } from "./damage.ts";

/** What is done to an answer on its way. */
export interface DamagedAnswer {
  readonly values: readonly Edit[];
  readonly text: readonly Edit[];
  /** Another status than its own, and a strange Retry-After; most answers keep theirs. */
  readonly status?: number | undefined;
  readonly retryAfter?: string | undefined;
}

/** Damages those answers that `damageOf` says. */
export function damagedTransport(
  transport: Transport,
  damageOf: (method: string) => DamagedAnswer | undefined,
): Transport {
  return async (request, signal) => {
    const answer = await transport(request, signal);
    const damage = damageOf(request.method);
    return damage ? damagedAnswer(answer, damage) : answer;
  };
}

function damagedAnswer(answer: HttpResponse, damage: DamagedAnswer): HttpResponse {
  const { status = answer.status, retryAfter, values, text } = damage;
  const { "retry-after": _, ...rest } = answer.headers;
  const headers = retryAfter === undefined ? answer.headers : { ...rest, "retry-after": retryAfter };
  const tree = treeOf(answer.body);
  const body = tree === undefined ? damagedText(answer.body, text) : damagedJson(tree, { values, text });
  // A digest of what was sent would say that nothing changed.
  return { status, headers, body };
}

function treeOf(body: string): Tree | undefined {
  try {
    return JSON.parse(body) as Tree;
  } catch {
    return undefined;
  }
}
