import { z } from "zod";
import { fromEnvironment } from "../../../account/configuration.ts";
import { FleetkeeperError } from "../../../service/contract/errors.ts";
import type { DocumentProblem } from "../../../service/document/document-problem.ts";
import { durationSchema, milliseconds } from "../../../service/text/duration.ts";
import { BY_VARIABLE, fromVariable } from "../wish/from-variable.ts";
import { addressProblem } from "../wish/outside-address.ts";

/** What people may want to be told of, in the order of the documentation. */
const ALERT_KINDS = [
  "interrupted",
  "support",
  "runway",
  "budget",
  "unreadable",
  "refused",
  "readable",
  "drained",
  "unclaimed",
  "disputed",
  "halted",
  "held",
  "badRecord",
  "distrust",
  "stuck",
  "notReady",
  "unhealthy",
  "idle",
  "unmeasured",
  "work",
  "notServing",
  "notSaved",
  "returned",
  "settings",
  "running",
] as const;
export type AlertKind = (typeof ALERT_KINDS)[number];

/** Everything but machines that came to run: that is news for programs. @internal Exported for its test. */
export const DEFAULT_KINDS: readonly AlertKind[] = ALERT_KINDS.filter((kind) => kind !== "running");

const text = z.string().min(1);
const address = z.union([text, fromVariable], {
  error: "expected an address, or { env: NAME } of the variable that holds it",
});

/** One target of notifications: exactly one of webhook, slack, command and ping. */
const targetSchema = z.strictObject({
  webhook: address.optional().describe("a URL that gets a signed POST (Standard Webhooks)"),
  // `writeOnly`: a secret that is written here all the same stands in no message.
  secret: fromVariable
    .optional()
    .meta({ description: "what webhooks are signed with: whsec_ and base64", writeOnly: true }),
  slack: z.union([text, fromVariable], { error: BY_VARIABLE }).optional().meta({
    description: "an incoming webhook of Slack, or of what understands the same",
    writeOnly: true,
  }),
  command: z.array(text).nonempty().optional().describe("a program and its arguments, run without a shell"),
  ping: address.optional().describe("a URL that is asked after good rounds, for a dead man's switch"),
  every: durationSchema.optional().describe("how often at most; for ping"),
  on: z.array(z.enum(ALERT_KINDS)).nonempty().optional().describe("what it is told of"),
});

export const notifySchema = z.array(targetSchema).default([]);
export type NotifySettings = z.output<typeof notifySchema>;
type TargetSettings = NotifySettings[number];

const WAYS = ["webhook", "slack", "command", "ping"] as const;

/** Problems that the schema cannot find. `at`: where the settings stand in the file. */
export function notifyProblems(settings: NotifySettings, at: string): readonly DocumentProblem[] {
  const ids = settings.map(idOf);
  return settings.flatMap((target, index) => {
    const path = [at, index];
    const ways = WAYS.filter((way) => target[way] !== undefined);
    if (ways.length !== 1) {
      const has = ways.length === 0 ? "says nowhere how" : `says ${ways.join(" and ")}`;
      return [{ path, message: `${has}: each entry has exactly one of ${WAYS.join(", ")}` }];
    }
    const problems: DocumentProblem[] = [];
    const wrong = (key: string, message: string) => problems.push({ path: [...path, key], message });
    if (ids.indexOf(idOf(target)) < index) problems.push({ path, message: "stands here a second time" });
    if (typeof target.slack === "string")
      wrong(
        "slack",
        "the address of such a webhook is a secret: put it into an environment variable, and write { env: NAME }",
      );
    if (target.webhook !== undefined && target.secret === undefined)
      wrong(
        "webhook",
        "is not signed: add secret: { env: NAME } (make one with: echo whsec_$(openssl rand -base64 32))",
      );
    if (target.secret !== undefined && target.webhook === undefined)
      wrong("secret", "goes with webhook only");
    if (target.every !== undefined && target.ping === undefined) wrong("every", "goes with ping only");
    if (target.ping !== undefined && target.on !== undefined)
      wrong("on", "a ping tells nothing but that the agent is alive");
    for (const way of ["webhook", "ping"] as const) {
      const url = target[way];
      const problem = typeof url === "string" ? problemOfUrl(url) : undefined;
      if (problem !== undefined) wrong(way, problem);
    }
    return problems;
  });
}

/** One target of notifications, with all that sending to it takes. */
export type Target = { readonly id: string } & (
  | {
      readonly way: "webhook";
      readonly url: string;
      readonly secret: string;
      readonly kinds: readonly AlertKind[];
    }
  | { readonly way: "slack"; readonly url: string; readonly kinds: readonly AlertKind[] }
  | { readonly way: "command"; readonly command: readonly string[]; readonly kinds: readonly AlertKind[] }
  | { readonly way: "ping"; readonly url: string; readonly everyMs: number }
);

const PING_EVERY = "60s";

/** What no text may show of a target: its secret, and its address, which is often a secret itself. */
export function secretsOf(target: Target): readonly (string | undefined)[] {
  if (target.way === "command") return [];
  const isOpen = target.id.includes(target.url);
  return [target.way === "webhook" ? target.secret : undefined, isOpen ? undefined : target.url];
}

/** Replaces names of variables by what they hold. Throws CONFIG, naming the variable. */
export function resolveTargets(
  settings: NotifySettings,
  environment: Readonly<Record<string, string | undefined>>,
): readonly Target[] {
  return settings.map((target, index) => {
    const where = `notify.${index}`;
    const value = (given: string | { readonly env: string } | undefined, key: string): string => {
      if (typeof given === "string") return given;
      const found = given && fromEnvironment(given.env, environment);
      if (found) return found;
      throw new FleetkeeperError(
        "CONFIG",
        `${where}.${key}: ${given?.env} is not set. Set it, or ${given?.env}_FILE to a file that holds it.`,
      );
    };
    const url = (key: "webhook" | "slack" | "ping"): string => {
      const found = value(target[key], key);
      const problem = problemOfUrl(found);
      if (problem === undefined) return found;
      // The address may be a secret: it is named by its variable alone.
      const name = typeof target[key] === "string" ? "" : ` (the content of ${target[key]?.env})`;
      throw new FleetkeeperError("CONFIG", `${where}.${key}${name}: ${problem}`);
    };
    const id = idOf(target);
    const kinds = target.on ?? DEFAULT_KINDS;
    if (target.webhook !== undefined) {
      const secret = value(target.secret, "secret");
      if (!/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/.test(secret)) {
        throw new FleetkeeperError(
          "CONFIG",
          `${where}.secret (the content of ${target.secret?.env}): expected whsec_ and at least 24 bytes in base64; ` +
            "make one with: echo whsec_$(openssl rand -base64 32)",
        );
      }
      return { id, way: "webhook", url: url("webhook"), secret, kinds };
    }
    if (target.slack !== undefined) return { id, way: "slack", url: url("slack"), kinds };
    if (target.command !== undefined) return { id, way: "command", command: target.command, kinds };
    return { id, way: "ping", url: url("ping"), everyMs: milliseconds(target.every ?? PING_EVERY) };
  });
}

/** Names a target for people and in the ledger: the same for as long as it leads to the same place. */
function idOf(target: TargetSettings): string {
  const way = WAYS.find((each) => target[each] !== undefined) ?? "webhook";
  const where = target[way];
  if (where === undefined) return "";
  if (typeof where === "string") return `${way} ${where}`;
  return "env" in where ? `${way} ${where.env}` : `${way} ${where.join(" ")}`;
}

function problemOfUrl(url: string): string | undefined {
  return addressProblem(url, {
    example: "https://hooks.example.com/fleet",
    isSecret: true,
    instead: "put the whole address into a variable and write { env: NAME }",
  });
}
