import { expect, test } from "vitest";
import { formatDoctor } from "../../agent/doctor/format.ts";
import type { DoctorReport } from "../../agent/doctor/report.ts";

const REPORT: DoctorReport = {
  exitCode: 1,
  baseUrl: "https://gpu.example.com",
  profile: "acme.profile.yaml",
  requests: 6,
  checks: [
    { id: "fleet.a.mix", section: "fleets", level: "ok", says: "a: 8 GPUs can be had." },
    {
      id: "operation.list",
      section: "operations",
      level: "problem",
      says: `The profile does not say how to list the deployments. ${"And so on and on. ".repeat(8).trim()}`,
      details: ["one detail"],
      remedy: {
        text: "Add at the end of the profile",
        at: "acme.profile.yaml",
        lines: ["deployments:", "  list:"],
        proposed: true,
      },
    },
    {
      id: "base-url",
      section: "configuration",
      level: "warning",
      says: "Odd.",
      remedy: { text: "Look at it." },
    },
  ],
};

test("sections in their order, sentences wrapped, lines of YAML as they are, and the sum at the end", () => {
  expect(formatDoctor(REPORT, { color: false })).toBe(
    [
      "Configuration",
      "  warning  Odd.",
      "           -> Look at it.",
      "",
      "What the profile covers",
      "  problem  The profile does not say how to list the deployments. And so on and on. And so on and on.",
      "           And so on and on. And so on and on. And so on and on. And so on and on. And so on and on.",
      "           And so on and on.",
      "           - one detail",
      "           -> Proposed from what was seen, for you to confirm. Add at the end of the profile",
      "              (acme.profile.yaml):",
      "              | deployments:",
      "              |   list:",
      "",
      "Fleets",
      "  ok       a: 8 GPUs can be had.",
      "",
      "Launches are stopped by 1 problem. 1 warning.",
      "6 requests were sent to the service, to read and nothing else; the fleet file and the profile are as they were.",
    ].join("\n"),
  );
});

test("colour is paint only", () => {
  const painted = formatDoctor(REPORT, { color: true });
  expect(painted).toContain("\u001b[31mproblem");
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colour is made of them.
  expect(painted.replace(/\u001b\[\d+m/g, "")).toBe(formatDoctor(REPORT, { color: false }));
});
