import { z } from "zod";
import { DAY_MS } from "../ledger/instant.ts";
import { FleetkeeperError } from "../service/errors.ts";
import type { ProtocolSettings } from "./context.ts";

/** The environment variable that changes the protocol's times: JSON, milliseconds. For tests, demos and slow lists. */
export const PROTOCOL_ENVIRONMENT = "FLEETKEEPER_PROTOCOL";

const ms = z
  .number()
  .positive()
  .max(7 * DAY_MS);

const schema = z
  .strictObject({
    postTimeout: ms,
    settle: ms,
    settleLists: z.int().min(1).max(100),
    poll: ms,
    stampAge: ms,
    lateArrival: ms,
    gone: ms,
    stopping: ms,
  } satisfies Record<keyof ProtocolSettings, z.ZodType>)
  .partial();

/**
 * Reads `FLEETKEEPER_PROTOCOL`, such as `{"poll": 200, "settle": 1000}`; nothing where it is not set. The defaults are
 * what money is safe with at a real service: shorter times there can pay twice for a machine that is listed late.
 */
export function settingsFromEnvironment(
  environment: Readonly<Record<string, string | undefined>>,
): Partial<ProtocolSettings> {
  const text = environment[PROTOCOL_ENVIRONMENT];
  if (!text) return {};
  const parsed = schema.safeParse(parseOr(text));
  if (!parsed.success) {
    const problems = parsed.error.issues.map(({ path, message }) =>
      [path.join("."), message].filter(Boolean).join(": "),
    );
    throw new FleetkeeperError(
      "CONFIG",
      `${PROTOCOL_ENVIRONMENT}: expected a JSON object of times in milliseconds, such as {"poll": 200}; ${problems.join("; ")}. ` +
        `Known are ${Object.keys(schema.shape).join(", ")}.`,
    );
  }
  const settings = Object.entries(parsed.data).filter(([, value]) => value !== undefined);
  return Object.freeze(Object.fromEntries(settings)) as Partial<ProtocolSettings>;
}

function parseOr(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
