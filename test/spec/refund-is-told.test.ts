import { expect, test } from "vitest";
import { endText } from "../../provider/runtime/wait/failure-text.ts";
import { LaunchBench } from "../launch/bench.ts";

const service = { isRetryable: () => undefined };

function ended(shown: object, before = "running"): string {
  const bench = new LaunchBench();
  bench.machine("m1", {}, { status: before });
  bench.show("m1", shown);
  bench.poll(bench.settings.poll);
  return endText(bench.row("m1"), service);
}

test.each(["UNKNOWN", "DUPLICATE_REQUEST", "PLATFORM_PROVIDER_ISSUE", "SOMETHING_NEW", undefined])(
  "a launch that failed with the code %s is refunded in full and automatically, and the user is told so",
  (failureCode) => {
    const text = ended({ status: "failed", ...(failureCode ? { failureCode } : {}) }, "connecting");
    expect(text).toContain("The first hour is refunded in full and automatically.");
  },
);

test("a machine that ran before it failed is no failed launch, and no refund is promised", () => {
  const text = ended({ status: "failed", failureCode: "UNKNOWN" });
  expect(text).toContain("m1 ran, and then failed: UNKNOWN. It is no failed launch");
  expect(text).not.toContain("is refunded");
});

test("of an interrupted machine the unused time is refunded, and the user is told so", () => {
  const text = ended({ status: "interrupted", stopReason: "provider_interrupted" });
  expect(text).toMatch(/provider_interrupted\)\. Unused time is refunded automatically\.$/);
});
