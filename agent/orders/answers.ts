import { createHash } from "node:crypto";
import type { Draft } from "../../ledger/draft.ts";
import { DAY_MS } from "../../ledger/instant.ts";
import type { AnswerRow } from "../../ledger/rows.ts";
import type { Json } from "../../service/contract/service.ts";

/** Answers of a day, and the newest of them: the account's row is written at every list. */
const KEPT_MS = DAY_MS;
const MOST_ANSWERS = 64;
/** Of all of them as JSON: a file of 200 fleets has an answer of 30,000. */
const MOST_CHARACTERS = 65_536;

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
  const newest = [...kept, answer].slice(-MOST_ANSWERS);
  // Whoever waits for the newest one may ask for it again, however long it is.
  while (newest.length > 1 && JSON.stringify(newest).length > MOST_CHARACTERS) newest.shift();
  draft.putAccount({ ...draft.account, answers: newest });
}
