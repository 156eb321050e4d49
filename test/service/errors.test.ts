import { expect, it } from "vitest";
import type { ErrorCode } from "../../service/contract/errors.ts";
import {
  CAUSES,
  endsAll,
  FleetkeeperError,
  isDown,
  isLedgerBusy,
  isOfLedger,
  isOfService,
  isPassing,
  unhandled,
} from "../../service/contract/errors.ts";

/** Exit code, and what else is so. */
const EXPECTED: Readonly<Record<ErrorCode, string>> = {
  CONFIG: "2 passing",
  PROFILE_PART_MISSING: "2",
  CREDENTIAL: "2 passing",
  WRONG_ACCOUNT: "2",
  UNREACHABLE: "1 passing service down",
  UNREADABLE_ANSWER: "1 passing service",
  LIST_INCOMPLETE: "1 passing service",
  REFUSED: "1 passing service",
  LEDGER: "1 ledger ends",
  LEDGER_BUSY: "1 passing ledger busy ends",
  BUSY: "1 passing",
  NOT_HOLDER: "1 ends",
  UNSOUND: "1 passing",
  INTERNAL: "1 ends",
};

it.each(Object.keys(CAUSES) as ErrorCode[])("what follows from %s", (code) => {
  const error = new FleetkeeperError(code, "");
  const words = [
    [isPassing, "passing"],
    [isOfService, "service"],
    [isDown, "down"],
    [isOfLedger, "ledger"],
    [isLedgerBusy, "busy"],
    [endsAll, "ends"],
  ] as const;
  const said = words.flatMap(([is, word]) => (is(error) ? [word] : []));
  expect([String(CAUSES[code].exitCode), ...said].join(" ")).toBe(EXPECTED[code]);
});

it("a service that is asked too often, or fails, is down; one that says no is not", () => {
  const down = [429, 500, 503, 400, 404].map((status) =>
    isDown(new FleetkeeperError("REFUSED", "", { status })),
  );
  expect(down).toEqual([true, true, true, false, false]);
});

it("an error that nobody threw on purpose ends all", () => {
  expect([endsAll(new Error("?")), isPassing(new Error("?")), isOfLedger(new Error("?"))]).toEqual([
    true,
    false,
    false,
  ]);
});

it("a kind that no type foresaw is told, with its value", () => {
  expect(() => unhandled("other" as never)).toThrow(
    expect.objectContaining({ code: "INTERNAL", message: expect.stringContaining('"other"') }),
  );
});
