import { describe, expect, test } from "vitest";
import { admit, stampForSend } from "../../launch/admit/admit.ts";
import { observe } from "../../launch/protocol.ts";
import { storeAnswer } from "../../launch/resolve/answer.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { MemoryLedger } from "../../ledger/memory/memory-ledger.ts";
import { openSqliteLedger } from "../../ledger/sqlite/sqlite-ledger.ts";
import type { LaunchAnswer } from "../../service/contract/service.ts";
import type { BenchOptions } from "./bench.ts";
import { BASE_URL, LaunchBench, OSLO, ROME } from "./bench.ts";

const HOUR = 3_600_000;
const COOLING: LaunchAnswer = { kind: "rejected", status: 503, code: "offer_cooling_down", retryAfter: 0 };

/** At each poll one launch, which is refused; and the rows and events that are left. */
async function refusedFor(
  polls: number,
  ledger: Ledger,
  options: BenchOptions = {},
): Promise<readonly number[]> {
  const bench = new LaunchBench(options);
  const { key } = await open(ledger);
  const rows: number[] = [];
  for (let poll = 0; poll < polls; poll++) {
    bench.advance(bench.settings.poll);
    const { context } = bench;
    const id = `intent${String(poll).padStart(6, "0")}`;
    const done = await ledger.decide(key, (draft) => {
      observe(draft, { begun: context.now, deployments: [] }, context);
      const fresh = { id, ledger: ledger.id, sender: { boot: context.now.boot, pid: 1, started: "0" } };
      admit(draft, bench.wish(), context, fresh);
      return stampForSend(draft, id, context, bench.wish()) && storeAnswer(draft, id, COOLING, context).kind;
    });
    if (done !== "cooling") throw new Error(`not launched: ${done}`);
    if (poll % 100 === 99) {
      const { intents } = await ledger.read(key);
      rows.push(intents.length, (await ledger.events(key, 1_000_000)).length);
    }
  }
  return rows;
}

async function open(ledger: Ledger): Promise<{ readonly key: string }> {
  const account = { id: "acc", email: "a@b.c", display_name: "A", created_at: "" };
  return { key: await ledger.openAccount({ baseUrl: BASE_URL, account, tenure: "exclusive" }) };
}

describe.each([
  ["SQLite", () => openSqliteLedger({ path: ":memory:", newId: "ledger0000", now: 1 })],
  ["the ledger in memory", () => new MemoryLedger("ledger0000")],
] as const)("in %s", (_, ledger) => {
  test("a service that refuses for ever, with a wait of 0 seconds, leaves a bounded number of rows and events", async () => {
    const rows = await refusedFor(2000, ledger());
    expect(Math.max(...rows)).toBeLessThan(200);
  });
});

test("where a marker is echoed they are kept as long as a launch explains a machine, and no longer", async () => {
  const rows = await refusedFor(1000, new MemoryLedger("ledger0000"), {
    marker: true,
    settings: { lateArrival: HOUR },
  });
  expect(Math.max(...rows)).toBeLessThan(2 * (HOUR / 15_000 + 100));
  expect(rows.at(-2)).toBeGreaterThan(HOUR / 15_000);
});

/** So many launches that are refused, one a poll. */
function refuse(
  bench: LaunchBench,
  times: number,
  answer = COOLING,
  where = OSLO as typeof OSLO | typeof ROME,
): string[] {
  return Array.from({ length: times }, () => {
    bench.advance(bench.settings.poll);
    const intent = bench.launch(where);
    bench.answer(intent, answer);
    return intent;
  });
}

test("the newest of each combination stays, however old: one launch tries it", () => {
  const bench = new LaunchBench();
  const [rome = ""] = refuse(bench, 1, COOLING, ROME);
  bench.advance(30 * HOUR);
  refuse(bench, 200);
  expect(bench.draft.intents.ever(rome) !== undefined).toBe(true);
});

test("what made a machine, or may have made one, stays", () => {
  const bench = new LaunchBench();
  const made = bench.machine("m1", ROME, ROME);
  const lost = bench.launch(ROME);
  bench.lose(lost);
  bench.untilAbsent();
  expect(bench.intent(lost).state).toBe("absent");
  const [first = "", ...others] = refuse(bench, 200);
  expect(bench.draft.intents.ever(first) !== undefined).toBe(false);
  expect([made, lost, others.at(-1) ?? ""].every((id) => bench.draft.intents.ever(id) !== undefined)).toBe(
    true,
  );
});

test("a launch that a gateway sent twice, and that was refused once, is known by its marker for a day", () => {
  const bench = new LaunchBench({ marker: true, shownBack: ["marker"] });
  const [first = ""] = refuse(bench, 200);
  bench.show("late", { marker: bench.intent(first).marker, status: "running" });
  bench.poll(bench.settings.poll);
  expect(bench.row("late")).toMatchObject({ claim: "certain", intent: first });
});
