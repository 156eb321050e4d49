import { expect, it } from "vitest";
import { isCi, noticeOfMissingEngine } from "../../scripts/setup/set-up.mjs";

it("says what is missing, why, what follows, and each way out", () => {
  const notice = noticeOfMissingEngine("no pulumi on the PATH; no Go to build it with", false);
  expect(notice).toContain("NO PULUMI ENGINE HERE: no pulumi on the PATH; no Go to build it with.");
  for (const part of ["skipped, by name", "pulumi command", "FLEETKEEPER_PULUMI", "Go 1.25"]) {
    expect(notice).toContain(part);
  }
  expect(noticeOfMissingEngine("x", true)).toContain("fails, because CI is set");
});

it("knows a CI by CI=true, as the usual ones set it", () => {
  expect([{ CI: "true" }, { CI: "1" }].map(isCi)).toEqual([true, true]);
  expect([{}, { CI: "" }, { CI: "false" }, { CI: "0" }].map(isCi)).toEqual([false, false, false, false]);
});
