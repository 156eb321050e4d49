import { describe, expect, test } from "vitest";
import { supportRequest } from "../../launch/ends/support-request.ts";
import { LaunchBench, OSLO } from "./bench.ts";

const RETRYABLE = (code: string): boolean | undefined => (code === "TIMEOUT" ? true : undefined);

/** A machine of ours that failed, a minute after the one before. */
function fail(on: LaunchBench, id: string, failureCode: string, more = {}): void {
  on.wire = { ...on.wire, isRetryable: RETRYABLE };
  on.machine(id, OSLO, { ...OSLO, status: "initializing" });
  on.advance(60_000);
  on.show(id, { status: "failed", failureCode, ...more });
  on.list();
}

function requestFor(on: LaunchBench, id: string): string | undefined {
  return supportRequest(on.draft, on.row(id), RETRYABLE);
}

test("a request for support names the deployment, what was launched, when, the code and what was shown", () => {
  const on = new LaunchBench({ combination: true });
  fail(on, "m1", "UNKNOWN", { failureReason: "no GPU came up.", suggestedAction: "choose another offer" });
  const text = requestFor(on, "m1");
  expect(text).toMatch(
    /^Deployment m1 was launched as h100-8 @ north\/oslo at 2023-11-14T22:1\d:\d\d\.\d{3}Z, and failed at 2023-11-14T22:1\d:\d\d\.\d{3}Z with failure_code UNKNOWN\. Reason shown: no GPU came up\. Suggested action shown: choose another offer\. Please tell us what is wrong\.$/,
  );
  expect(on.told("support")).toEqual([text]);
});

test("a failure is told without two periods", () => {
  const on = new LaunchBench({ combination: true });
  fail(on, "m1", "UNKNOWN", { failureReason: "no GPU came up.", suggestedAction: "choose another offer." });
  expect(on.told("failed")).toEqual([
    "m1 failed: UNKNOWN, no GPU came up. Suggested action: choose another offer. Contact the service's support with the deployment ID m1.",
  ]);
});

describe("is due", () => {
  test.each(["UNKNOWN", "DUPLICATE_REQUEST"])("at once after %s", (code) => {
    const on = new LaunchBench({ combination: true });
    fail(on, "m1", code);
    expect(requestFor(on, "m1")).toBeDefined();
  });

  test.each(["PLATFORM_PROVIDER_ISSUE", "TIMEOUT"])(
    "after the third %s within a day, which names the others",
    (code) => {
      const on = new LaunchBench({ combination: true });
      for (const id of ["m1", "m2"]) fail(on, id, code);
      expect(on.told("support")).toEqual([]);
      fail(on, "m3", code);
      expect(requestFor(on, "m3")).toContain("2 more failed with this code in the 24 hours before: m1, m2.");
      expect(on.told("support")).toHaveLength(1);
    },
  );

  test("not for a code of which nobody says that it is retryable, nor where failures are days apart", () => {
    const on = new LaunchBench({ combination: true });
    for (const id of ["m1", "m2", "m3"]) fail(on, id, "OTHER");
    expect(requestFor(on, "m3")).toBeUndefined();
    for (const id of ["m4", "m5", "m6"]) {
      on.advance(13 * 3_600_000);
      fail(on, id, "TIMEOUT");
    }
    expect(requestFor(on, "m6")).toBeUndefined();
  });

  test("not for a machine that nobody here launched", () => {
    const on = new LaunchBench({ combination: true });
    on.show("s1", { status: "failed", failureCode: "UNKNOWN" });
    on.list();
    expect(on.told("support")).toEqual([]);
  });
});
