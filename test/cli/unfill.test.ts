import { expect, test } from "vitest";
import { isMismatch, unfill } from "../../agent/cli/profile-check/unfill.ts";
import { parseJson } from "../../service/text/json.ts";

test.each(["77", "9007199254740993", "0.5"])(
  "a recorded launch that sends the number %s was filled by it",
  (id) => {
    const filled = unfill({ offer: { number: "{offer}" } }, parseJson(`{"offer":${id}}`));
    expect(filled).toEqual(new Map([["offer", id]]));
    expect(isMismatch(unfill({ offer: { number: "{offer}" } }, parseJson('{"offer":"h100"}')))).toBe(true);
    expect(isMismatch(unfill({ offer: { number: "{offer}" } }, parseJson('{"offer":"77"}')))).toBe(true);
  },
);
