import type { ProposalInput } from "./proposal-input.ts";
import type { Asked } from "./saved/evidence.ts";
import { jsonOf } from "./saved/secrets.ts";
import { isObject, type JsonObject } from "./shape/lists.ts";

export interface SentLaunch {
  readonly body: JsonObject;
  readonly asked: Asked;
}

/** The best of the saved requests that launch. One that was refused as wrong may have a wrong body. One that was accepted is the best. */
export function sentLaunch({ asked }: ProposalInput): SentLaunch | undefined {
  const rank = ({ status }: Asked): number =>
    status === undefined ? 1 : status < 300 ? 0 : status === 503 || status === 402 ? 2 : 3;
  const launches = asked
    .filter(({ kind }) => kind === "launch")
    .sort((one, other) => rank(one) - rank(other));
  for (const each of launches) {
    const body = jsonOf(each.request.body);
    if (isObject(body) && rank(each) < 3) return { body, asked: each };
  }
  return undefined;
}
