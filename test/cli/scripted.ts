import { expect } from "vitest";
import type { Prompts } from "../../agent/cli/init/prompts.ts";

/** Answers by a part of the question; a question without an answer fails the test. Each answer passes the question's check. */
export function scripted(answers: Readonly<Record<string, string>>): Prompts & { readonly asked: string[] } {
  const asked: string[] = [];
  const answer = (question: string): string => {
    asked.push(question);
    const found = Object.entries(answers).find(([part]) => question.includes(part));
    if (!found) throw new Error(`not expected: ${question}`);
    return found[1];
  };
  return {
    asked,
    confirm: async (question) => answer(question) === "yes",
    input: async (question, { initial, check } = {}) => {
      const text = answer(question) || initial || "";
      expect(check?.(text), question).toBeUndefined();
      return text;
    },
    select: async (question, choices) => {
      const found = choices.find(({ value }) => value === answer(question));
      if (!found) throw new Error(`no such choice: ${question}`);
      return found.value;
    },
  };
}
