import { expect, test } from "vitest";
import { watchScreen } from "../../agent/cli/commands/fleets/watch-screen.ts";
import type { CliContext } from "../../agent/cli/commands/shared/cli-context.ts";
import { cleanFor } from "../../agent/fleet/text/text.ts";
import { statusText } from "../../agent/status/status-text.ts";
import { FleetkeeperError } from "../../service/contract/errors.ts";
import { place } from "./cli.ts";

const ENTER = "\u001b[?1049h";
const LEAVE = "\u001b[?1049l";

function onScreen(rows: number) {
  const written: string[] = [];
  const stopping = new AbortController();
  const cli: CliContext = {
    environment: {},
    signal: stopping.signal,
    print: () => expect.unreachable("nothing is printed beside the screen"),
    tell: () => expect.unreachable("nothing is told beside the screen"),
    color: false,
    screen: { write: (text) => written.push(text), rows: () => rows },
  };
  return { written, cli, stop: () => stopping.abort() };
}

test("it draws what is there, draws it again when it changes, and leaves the terminal as it was", async () => {
  const { written, cli, stop } = onScreen(24);
  const texts = ["one", "two"];
  await watchScreen(async () => {
    const [next, ...rest] = texts.splice(0);
    texts.push(...rest);
    if (next === undefined) stop();
    return next ?? "three";
  }, cli);
  expect(written[0]).toContain(ENTER);
  expect(written.slice(1, 4).map((frame) => /\n(one|two|three)/.exec(frame)?.[1])).toEqual([
    "one",
    "two",
    "three",
  ]);
  expect(written.at(-1)).toContain(LEAVE);
  expect(written.filter((text) => text.includes(LEAVE))).toHaveLength(1);
});

test("an answer that does not come is told, and asked for again; a token that is refused ends it", async () => {
  const { written, cli } = onScreen(24);
  const refused = new FleetkeeperError("CREDENTIAL", "this token was revoked", { status: 401 });
  const answers = ["one", new FleetkeeperError("UNREACHABLE", "nobody there"), "two", refused];
  const answer = async (): Promise<string> => {
    const next = answers.shift();
    if (typeof next === "string") return next;
    throw next;
  };
  await expect(watchScreen(answer, cli)).rejects.toThrow("revoked");
  const lost = "No answer since then. Asked again in 2 s: nobody there";
  const frames = written.slice(1, -1).map((frame) => [frame.includes(lost), /\n(one|two)/.exec(frame)?.[1]]);
  expect(frames).toEqual([
    [false, "one"],
    [true, "one"],
    [false, "two"],
  ]);
  expect(written.at(-1)).toContain(LEAVE);
});

test("what fails while it draws leaves the terminal as it was, too", async () => {
  const { written, cli } = onScreen(24);
  await expect(watchScreen(() => Promise.reject(new Error("the ledger was moved")), cli)).rejects.toThrow(
    "moved",
  );
  expect(written.at(-1)).toContain(LEAVE);
});

test("it ends when nobody is there any more to look at it", async () => {
  const { written, cli } = onScreen(24);
  const gone = new AbortController();
  const texts = async (): Promise<string> => {
    gone.abort();
    return "one";
  };
  await watchScreen(texts, { ...cli, unheard: gone.signal });
  expect(written.at(-1)).toContain(LEAVE);
});

test("what does not fit is cut, and that is said", async () => {
  const { written, cli, stop } = onScreen(6);
  await watchScreen(async () => {
    stop();
    return ["a", "b", "c", "d", "e", "f"].join("\n");
  }, cli);
  const frame = written[1] ?? "";
  expect(frame.split("\r\n")).toHaveLength(6);
  expect(frame).toContain("... and 3 lines more");
});

test("without a terminal it says so, and nothing is drawn", async () => {
  const on = await place();
  on.write("fleet.yaml", "fleets: []\n");
  await on.run(["agent", "--once"]);
  const { code, stdout, stderr } = await on.run(["status", "--watch"]);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain("standard output is none");
  expect(await on.run(["status", "--watch", "--json"])).toMatchObject({ code: 2, stdout: "" });
});

const HOUR = 3_600_000;
const SCREEN = cleanFor({ terminal: true });

const EMPTY = {
  account: "you@example.com",
  baseUrl: "https://gpus.example.com",
  tenure: "exclusive" as const,
  agent: null,
  balance: { amount: "12.0000", at: 0 },
  list: 50 * HOUR,
  fresh: false,
  outage: null,
  slowSince: null,
  currency: "USD",
  billing: "by whole hours as they begin",
  unkept: [],
  budgets: [],
  runway: { seconds: null, short: false, pricePerHour: "0.0000", unpriced: 0 },
  halted: [],
  returned: [],
  notStopping: [],
  notServing: [],
  fleets: [],
  deployments: [],
  launches: [],
  unaccounted: [],
  matching: [],
  badRecords: [],
  cooldowns: [],
  events: [],
};

test("how old everything is stands at its top, and that nobody looks", () => {
  const now = 53 * HOUR;
  const plain = (_: string, text: string): string => text;
  const text = statusText(EMPTY, now, plain, SCREEN);
  expect(text).toContain("(3 h ago): no agent runs, and what follows may have changed since");
  expect(text).toMatch(/12\.00 USD, read at 19(69|70)-\d\d-\d\d \d\d:\d\d:\d\d \(2 days 5 h ago\)/);
  const agent = { pid: 1, host: "here", since: null };
  expect(statusText({ ...EMPTY, agent }, now, plain, SCREEN)).toContain(
    "(3 h ago): what follows may have changed",
  );
  const kept = statusText({ ...EMPTY, agent, fresh: true }, now, plain, SCREEN);
  expect(kept).not.toContain("may have changed since");
});

test("what no agent ends at its deadline or total is loud", () => {
  const plain = (_: string, text: string): string => text;
  const unkept = ["fleet training", "deployment project/dev/web"];
  expect(statusText({ ...EMPTY, unkept }, 53 * HOUR, plain, SCREEN)).toContain(
    "  UNKEPT   fleet training, deployment project/dev/web: no agent stops at until or total, and it bills on until the next pulumi up or destroy. Start fleetkeeper agent",
  );
  expect(statusText(EMPTY, 53 * HOUR, plain, SCREEN)).not.toContain("UNKEPT");
});

test("what a fleet may take in a minute is not yet a person's to judge", () => {
  const plain = (_: string, text: string): string => text;
  const row = { id: "m1", status: "running" as const, offer: null, provider: null, location: null, gpus: 8 };
  const unaccounted = [
    {
      ...row,
      pricePerHour: "1.0000",
      labels: {},
      setup: null,
      health: null,
      hold: null,
      beforeStop: null,
      disputed: false,
      unheld: null,
      reused: null,
    },
  ];
  const of = (...matching: readonly string[]): string =>
    statusText({ ...EMPTY, unaccounted, matching }, 50 * HOUR, plain, SCREEN);
  expect(of("training")).toContain(
    "machines that nobody here answers for yet: training takes what fits once two lists agree, in about a minute",
  );
  expect(of("training", "web")).toContain("yet: training, web take what fits");
  expect(of()).toContain("machines that nobody here answers for: adopt or disown each");
});

test("a short runway is loud, and a long one is said", () => {
  const plain = (_: string, text: string): string => text;
  const runway = { seconds: 7200, short: true, pricePerHour: "32.0000", unpriced: 0 };
  const of = (more: object): string =>
    statusText({ ...EMPTY, runway: { ...runway, ...more } }, Date.now(), plain, SCREEN);
  expect(of({})).toContain(
    "  RUNWAY   2 h more, at 32.00 USD an hour: credits can be bought in the service's dashboard only",
  );
  expect(of({ short: false })).toContain("  runway   2 h more, at 32.00 USD an hour");
  expect(of({ unpriced: 1 })).toContain("  RUNWAY   at most 2 h more, at 32.00 USD an hour or more:");
  expect(of({ seconds: null, short: false })).not.toMatch(/runway/i);
});

test("an owner whose machines come back is one line, however many they are", () => {
  const plain = (_: string, text: string): string => text;
  const why = "m1 came back after it had ended: fleetkeeper resume web";
  const returned = ["m1", "m2", "m3"].map((id) => ({ id, owner: "fleet:web" as const, why }));
  const other = { id: "m9", owner: "fleet:lab" as const, why: "m9 came back" };
  const held = statusText({ ...EMPTY, returned: [...returned, other] }, Date.now(), plain, SCREEN)
    .split("\n")
    .filter((line) => line.includes("HELD"));
  expect(held).toEqual([`  HELD     ${why}. So did m2, m3`, "  HELD     m9 came back"]);
});

test("a text is cut to a screen, and never where a program or a file reads it", () => {
  const plain = (_: string, text: string): string => text;
  const text = `${"so ".repeat(200)}that is why`;
  const status = { ...EMPTY, events: [{ at: 0, kind: "halted", owner: null, name: null, text }] };
  const cut = statusText(status, 0, plain, SCREEN);
  expect(cut).not.toContain("that is why");
  expect(cut).toContain("…");
  const whole = statusText(status, 0, plain, cleanFor({ terminal: false }));
  expect(whole).toContain("that is why");
  expect(whole).not.toContain("…");
});
