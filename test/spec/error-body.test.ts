import { expect, test } from "vitest";
import { json, LAUNCH, never, ORDER, serviceOf } from "../service/support.ts";

const LOUD = {
  code: "offer_cooling_down",
  error: { code: "offer_cooling_down", message: "m" },
  message: "m",
  detail: "m",
};

test.each([503, 400, 402, 422])(
  "without errors in the profile nothing is read from the body of a %i, however plain it looks",
  async (status) => {
    const reply = json(LOUD, { status, headers: { "retry-after": "60" } });
    const answer = await serviceOf({ launch: LAUNCH }, [reply]).service.launch(ORDER, never());
    expect(answer.kind).toBe("unknown");
  },
);
