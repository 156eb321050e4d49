import { expect, it } from "vitest";
import { Confirmations, type ShownOrder } from "../../agent/tell/http/mcp/confirmations.ts";

it("what one token is shown takes the place of its own alone", () => {
  const confirmations = new Confirmations();
  const shown = {} as ShownOrder;
  const theirs = confirmations.show(shown, "careful", 0);
  const ids = Array.from({ length: 300 }, (_, at) => confirmations.show(shown, "wild", at));
  expect(confirmations.take(ids[0] ?? "", "wild", 300)).toContain("no such confirmation id");
  expect(confirmations.take(ids.at(-1) ?? "", "wild", 300)).toBe(shown);
  expect(confirmations.take(theirs, "careful", 300)).toBe(shown);
});
