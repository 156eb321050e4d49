import { createHash } from "node:crypto";
import type { Draft } from "../../ledger/draft.ts";
import { DAY_MS } from "../../ledger/instant.ts";
import type { AnswerRow } from "../../ledger/rows.ts";
import type { Json } from "../../service/contract/service.ts";

/** Answers of a day, and the newest of them: the account's row is written at every list. */
const KEPT_MS = DAY_MS;
const MOST_ANSWERS = 64;

/** What an order is known by: whoever sends another one with the same key has made a mistake. */
export function orderDigest(order: readonly Json[]): string {
  return createHash("sha256").update(JSON.stringify(order)).digest("hex");
}

/** What was answered to this actor's order with this key. Undefined: nothing, or it is forgotten. */
export function answerTo(
  { account: { answers = [] } }: Pick<Draft, "account">,
  key: string,
  actor: string,
): AnswerRow | undefined {
  return answers.find((each) => each.key === key && each.actor === actor);
}

export function keepAnswer(draft: Draft, answer: AnswerRow): void {
  const { answers = [] } = draft.account;
  const kept = answers.filter(({ at }) => answer.at - at < KEPT_MS);
  draft.putAccount({ ...draft.account, answers: [...kept, answer].slice(-MOST_ANSWERS) });
}
