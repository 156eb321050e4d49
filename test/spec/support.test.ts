import { expect, test } from "vitest";
import { endText } from "../../provider/runtime/wait/failure-text.ts";
import { LaunchBench } from "../launch/bench.ts";

const service = { isRetryable: (code: string) => (code === "FLAKY" ? true : undefined) };

function advice(failureCode: string): string {
  const bench = new LaunchBench();
  bench.machine("m1", {}, { status: "provisioning" });
  bench.show("m1", { status: "failed", failureCode });
  bench.poll(bench.settings.poll);
  return endText(bench.row("m1"), service).split("automatically.")[1]?.trim() ?? "";
}

test.each([
  ["UNKNOWN", "Contact the service's support with the deployment ID m1."],
  ["DUPLICATE_REQUEST", "Contact the service's support with the deployment ID m1."],
  ["FLAKY", "If it keeps recurring, contact the service's support with the deployment ID m1."],
  [
    "PLATFORM_PROVIDER_ISSUE",
    "If it does not clear after a short wait, contact the service's support with the deployment ID m1.",
  ],
  ["SOMETHING_NEW", ""],
])("after %s the user is sent to support as the specification says, with the deployment ID", (code, text) => {
  expect(advice(code)).toBe(text);
});
