import { expect, test } from "vitest";
import { cleanFor, table } from "../../agent/fleet/text/text.ts";
import { planText } from "../../agent/planning/told/plan-text.ts";
import { jsonLog } from "../../agent/tell/log/json-log.ts";
import { Secrets } from "../../agent/tell/log/secrets.ts";
import { textLog } from "../../agent/tell/log/text-log.ts";

const LONG = `${"so ".repeat(500)}that is why`;

function planned(terminal: boolean): string {
  const none = {
    desired: 8,
    running: 0,
    starting: 0,
    stopping: 0,
    launches: [],
    takes: [],
    olderWish: [],
    holds: [],
    wake: null,
    costs: { gpus: 0, unpriced: 0, perHour: null, perDay: null, perMonth: null },
    most: {
      ...{ perHour: null, perHourBy: null, untilEnd: null, end: null, inAll: null },
      ...{ replaced: null, late: null, unstopped: null, why: [] },
    },
  };
  const plan = { fleet: "web", currency: "USD", ...none, stops: [{ id: "d-1", why: LONG }], reasons: [LONG] };
  return planText([plan], cleanFor({ terminal }));
}

function logged(terminal: boolean): string {
  const lines: string[] = [];
  const print = (line: string): number => lines.push(line);
  const entry = { level: "info", kind: "waits", text: LONG, at: 0 } as const;
  textLog({ print, tell: print, terminal }, new Secrets())(entry);
  return lines.join();
}

function cell(terminal: boolean): string {
  return table(["A"], [[LONG]], cleanFor({ terminal }));
}

test.each([
  ["a plan", planned],
  ["the agent's lines", logged],
  ["a table", cell],
])("%s is cut to a screen, and whole where a program or a file reads it", (_, write) => {
  expect(write(true)).toContain("…");
  expect(write(false)).not.toContain("…");
  expect(write(false).split("that is why").length).toBe(write === planned ? 3 : 2);
});

test("the agent's JSON is whole anywhere", () => {
  const lines: string[] = [];
  jsonLog(
    (line) => lines.push(line),
    { account: "account" },
    new Secrets(),
  )({ level: "info", kind: "waits", text: LONG, at: 0 });
  expect(JSON.parse(lines[0] ?? "")).toMatchObject({ msg: LONG });
});
