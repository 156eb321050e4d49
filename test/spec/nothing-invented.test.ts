import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../..");
const ROOMS = ["service", "launch", "account", "agent", "provider"];

/**
 * `agent/propose/` proposes names for a person to confirm; nothing that it guesses is ever sent or read by the
 * rest. `service/list/next-page.ts` has words that only refuse a list, and
 * `service/http/token.ts` what OAuth2 itself calls an error (RFC 6749, section 5.2). It also reads what curl and OpenAPI write, who have names for headers. The agent's own HTTP server, and the client of its API, have headers and paths of their own, and speak to people and monitors, never to the service.
 * `provider/runtime/host/agent-link.ts` asks that server.
 * `agent/ask/` asks machines by what runs on them (gpud, DCGM's exporter), and never the service.
 */
const NOT_THE_WIRE = [
  "agent/propose/",
  "agent/ask/",
  "agent/tell/http/",
  "provider/runtime/host/agent-link.ts",
  "agent/remote/",
  "service/list/next-page.ts",
  "service/http/token.ts",
];

/** Keys of the profile, and of the check `ready`, that are spelt as what a service may say. */
const OUR_KEYS = [
  { where: "service/profile/call-checks.ts", text: "ended" },
  ...[
    "agent/fleet/wish/machine-question.ts",
    "agent/planning/machines/readiness.ts",
    "agent/whatif/playable.ts",
    "provider/stack/pair.ts",
  ].map((where) => ({
    where,
    text: "ready",
  })),
  { where: "provider/runtime/machine.ts", text: "ready" },
  // Of a node of Kubernetes.
  { where: "agent/autoscaler/calls.ts", text: "Ready" },
];

interface Find {
  readonly where: string;
  readonly text: string;
}

/** Texts of the code, without comments (those may speak of anything) and without the paths of imports. */
const texts: readonly Find[] = ROOMS.flatMap((room) =>
  readdirSync(join(ROOT, room), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => join(room, name))
    .filter((file) => !NOT_THE_WIRE.some((room) => file.startsWith(room)))
    .flatMap((file) => {
      const code = readFileSync(join(ROOT, file), "utf8")
        .replace(/\/\*[\s\S]*?\*\//g, "")
        .replace(/^\s*\/\/.*$/gm, "");
      const literals = code.match(/"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`|'(?:[^'\\\n]|\\.)*'/g) ?? [];
      // A key needs no quotes to be the name of a header.
      const named = literals.map((each) => each.slice(1, -1)).filter((text) => !text.startsWith("."));
      const keys = code.match(/\b(authorization|cookie)\b(?=\s*:)/gi) ?? [];
      return [...named, ...keys].map((text) => ({ where: file, text }));
    }),
);

test.each([
  ["a credential header", /^(authorization|x-api-key|api-key|x-auth-token|cookie|www-authenticate)$/i],
  ["a scheme of authentication", /^(bearer|basic|token)\s/i],
  ["an idempotency key", /idempotency/i],
  // Texts that are a path or a pointer, but for the prefix and the four fields that the specification names.
  ["a path or a pointer", /^\/(?!(api\/v1|id|status|failure_code|stop_reason)$)[a-z]/i],
  // Also in the middle of a text: messages may name the specification's paths, and no others.
  [
    "a path below the API",
    /\/api\/(?!v1)|\/api\/v1\/(?!(account(\/balance)?|deployments(\/\{id\})?|offers)(?![\w/]))/,
  ],
  ["a query", /[?&][a-z_]+=/i],
  ["the name of the stopped state", /^(terminated|cancelled|canceled|deleted|destroyed|released|ended)$/i],
  ["a further active state", /^(pending|queued|starting|creating|booting|active|ready)$/i],
  ["a further error code", /^(offer_(?!cooling_down$)|insufficient_|rate_limit|quota|already_stop)/i],
])(
  "the sources name no header, path, query, state or code that the specification does not show: %s",
  (_what, pattern) => {
    const isKey = (found: Find) =>
      OUR_KEYS.some(({ where, text }) => where === found.where && text === found.text);
    expect(texts.filter((each) => pattern.test(each.text) && !isKey(each))).toEqual([]);
  },
);

test("control: the scan sees the texts that the specification does show", () => {
  const seen = new Set(texts.map(({ text }) => text));
  for (const text of ["/api/v1", "/failure_code", "offer_cooling_down", "DUPLICATE_REQUEST", "interrupted"]) {
    expect([text, seen.has(text)]).toEqual([text, true]);
  }
});
