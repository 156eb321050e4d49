import { z } from "zod";
import { DAY_MS } from "../../ledger/instant.ts";
import { FleetkeeperError } from "../../service/contract/errors.ts";
import { explainIssue, IN_A_PROGRAM } from "../../service/document/issue-text.ts";
import { createSchemaMap } from "../../service/document/schema-map.ts";
import { durationSchema, EXPECTED_DURATION, milliseconds } from "../../service/text/duration.ts";
import { jsonOr } from "../../service/text/json.ts";
import type { ProtocolSettings } from "./context.ts";

/** The variable that changes the protocol's times: JSON of durations. For tests, demos, slow lists. */
export const PROTOCOL_ENVIRONMENT = "FLEETKEEPER_PROTOCOL";

/** A plain number is milliseconds, as in older versions. Tests need such short times. */
const time = z
  .union([z.number(), durationSchema], { error: EXPECTED_DURATION })
  .refine((value) => inMs(value) > 0 && inMs(value) <= 7 * DAY_MS, "expected a duration of at most 7d");

const schema = z
  .strictObject(
    {
      postTimeout: time,
      settle: time,
      settleLists: z.int("expected a whole number").min(1).max(100),
      poll: time,
      stampAge: time,
      lateArrival: time,
      gone: time,
      stopping: time,
      archive: time,
      archiveKept: z.int("expected a whole number").min(0).max(1000),
    } satisfies Record<keyof ProtocolSettings, z.ZodType>,
    { error: (issue) => (issue.code === "invalid_type" ? "expected an object" : undefined) },
  )
  .partial();

/**
 * Reads `FLEETKEEPER_PROTOCOL`, such as `{"poll": "60s", "settle": "5m"}`. Throws CONFIG. The defaults keep
 * money safe at a real service: shorter times can pay twice for a machine that is listed late.
 */
export function settingsFromEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): Partial<ProtocolSettings> {
  const text = environment[PROTOCOL_ENVIRONMENT];
  if (!text) return {};
  const given = jsonOr(text);
  const parsed = schema.safeParse(given);
  if (!parsed.success) {
    const known = createSchemaMap(schema);
    const problems = parsed.error.issues
      .filter(({ code, path }) => path.length > 0 || code === "unrecognized_keys")
      .flatMap((issue) => explainIssue(issue, given, known, undefined, IN_A_PROGRAM))
      .map(({ path, message }) => `${path.join(".")}: ${message}`);
    const why = problems.length > 0 ? problems.join("; ") : `got ${text}`;
    throw new FleetkeeperError(
      "CONFIG",
      `${PROTOCOL_ENVIRONMENT}: expected a JSON object of durations, such as {"poll": "60s"}; ${why}. ` +
        `Known are ${Object.keys(schema.shape).join(", ")}.`,
    );
  }
  const settings = Object.entries(parsed.data).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, inMs(value)]],
  );
  return Object.freeze(Object.fromEntries(settings)) as Partial<ProtocolSettings>;
}

function inMs(value: number | string): number {
  return typeof value === "number" ? value : milliseconds(value);
}
