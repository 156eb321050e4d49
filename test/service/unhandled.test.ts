import { expect, it } from "vitest";
import { unhandled } from "../../service/errors.ts";

it("a kind that no type foresaw is told, with its value", () => {
  expect(() => unhandled("other" as never)).toThrow(
    expect.objectContaining({ code: "INTERNAL", message: expect.stringContaining('"other"') }),
  );
});
