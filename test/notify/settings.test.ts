import { expect, test } from "vitest";
import { parseFleetFile } from "../../agent/fleet/file/fleet-file.ts";
import type { Target } from "../../agent/fleet/file/notify-settings.ts";
import { resolveTargets } from "../../agent/fleet/file/notify-settings.ts";

const secret = `whsec_${Buffer.alloc(32, 9).toString("base64")}`;

function targets(yaml: string, environment: Record<string, string> = {}): readonly Target[] {
  return resolveTargets(parseFleetFile(`fleets: []\nnotify:\n${yaml}\n`, "fleet.yaml").notify, environment);
}

test("the four ways", () => {
  const yaml = `
  - webhook: https://hooks.example.com/x
    secret: { env: HOOK_SECRET }
    on: [interrupted, halted]
  - slack: { env: SLACK_URL }
  - command: [./tell.sh, --all]
    on: [running]
  - ping: http://127.0.0.1:9/alive
    every: 5m`;
  const environment = { HOOK_SECRET: secret, SLACK_URL: "https://slack.example.com/T/B/x" };
  expect(targets(yaml, environment)).toMatchObject([
    { way: "webhook", url: "https://hooks.example.com/x", secret, kinds: ["interrupted", "halted"] },
    { way: "slack", id: "slack SLACK_URL", url: environment.SLACK_URL },
    { way: "command", command: ["./tell.sh", "--all"], kinds: ["running"] },
    { way: "ping", everyMs: 300_000 },
  ]);
});

test.each([
  [
    "- webhook: https://x.example.com",
    "fleet.yaml:3:14 notify.0.webhook: is not signed: add secret: { env: NAME }",
  ],
  [
    "- slack: https://hooks.slack.com/services/T/B/x",
    "notify.0.slack: the address of such a webhook is a secret",
  ],
  [
    "- on: [halted]",
    "notify.0: says nowhere how: each entry has exactly one of webhook, slack, command, ping",
  ],
  ["- { command: [a], ping: https://x.example.com }", "says command and ping"],
  ["- ping: http://x.example.com", "would go over the network unencrypted: write https://"],
  ["- ping: https://me:pw@x.example.com", "carries a user name or password"],
  ["- ping: x.example.com", "expected a whole address"],
  ["- { command: [a], every: 5m }", "notify.0.every: goes with ping only"],
  ["- { ping: https://x.example.com, every: 5 minutes }", "expected a duration such as 90s, 1h30m or 7d"],
  ["- { command: [a], on: [interruption] }", "interrupted"],
  ["- { command: [a] }\n- { command: [a] }", "notify.1: stands here a second time"],
])("%s is refused with what to do", (yaml, message) => {
  const indented = yaml
    .split("\n")
    .map((line) => `  ${line}`)
    .join("\n");
  expect(() => targets(indented, { S: secret })).toThrow(message);
});

test.each([
  [
    "  - { webhook: https://x.example.com, secret: whsec_canary }",
    {},
    "fleet.yaml:3:47 notify.0.secret: expected { env: NAME } of the variable that holds it",
  ],
  [
    "  - { webhook: https://x.example.com, secret: { env: whsec_canary } }",
    {},
    "notify.0.secret.env: expected the name of an environment variable",
  ],
  [
    "  - slack: https://x.example.com/canary",
    {},
    "notify.0.slack: the address of such a webhook is a secret",
  ],
  ["  - slack: { env: SLACK_URL }", {}, "notify.0.slack: SLACK_URL is not set. Set it, or SLACK_URL_FILE"],
  [
    "  - slack: { env: SLACK_URL }",
    { SLACK_URL: "http://canary.example.com/" },
    "notify.0.slack (the content of SLACK_URL): would go",
  ],
  [
    "  - { webhook: https://x.example.com, secret: { env: S } }",
    { S: "canary" },
    "notify.0.secret (the content of S): expected whsec_",
  ],
] as const)("%s with %o is refused, and never shows the value", (yaml, environment, message) => {
  const error = ((): Error => {
    try {
      targets(yaml, { ...environment });
    } catch (caught) {
      return caught as Error;
    }
    return new Error("nothing was thrown");
  })();
  expect(error.message).toContain(message);
  expect(error.message).not.toContain("canary");
});
