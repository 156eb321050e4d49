import { expect, test } from "vitest";
import type { AlertKind } from "../../agent/fleet/file/notify-settings.ts";
import { DEFAULT_KINDS } from "../../agent/fleet/file/notify-settings.ts";
import type { Alert } from "../../agent/tell/notify/outbox.ts";
import { afterBatch, newOutbox, nextBatch } from "../../agent/tell/notify/outbox.ts";
import type { OutboxRow } from "../../ledger/rows.ts";

const MINUTE = 60_000;
const T0 = 1_000_000_000;

function alert(sequence: number, kind: AlertKind, more: Partial<Alert> = {}): Alert {
  return {
    kind,
    event: kind,
    sequence,
    at: T0 + sequence,
    owner: "fleet:web",
    deployment: null,
    text: `${kind} ${sequence}`,
    ...more,
  };
}

const machine = (sequence: number, id: string): Alert => alert(sequence, "interrupted", { deployment: id });

/** Sends whatever is due at each minute, and returns how many alerts each message had. */
function play(
  alerts: readonly Alert[],
  minutes: number,
): { readonly sizes: readonly number[]; readonly end: OutboxRow } {
  let outbox = newOutbox(0);
  const sizes: number[] = [];
  for (let now = T0; now <= T0 + minutes * MINUTE; now += MINUTE) {
    const there = alerts.filter(({ at }) => at <= now);
    const newest = there.at(-1)?.sequence ?? 0;
    const batch = nextBatch(outbox, there, DEFAULT_KINDS, newest, now);
    if (!batch) continue;
    if (batch.alerts.length > 0) sizes.push(batch.alerts.length);
    outbox = afterBatch(outbox, batch, now);
  }
  return { sizes, end: outbox };
}

test("what happened before a target was there is not told to it", () => {
  expect(nextBatch(newOutbox(7), [alert(7, "halted")], DEFAULT_KINDS, 7, T0)).toBeUndefined();
  expect(nextBatch(newOutbox(7), [alert(8, "halted")], DEFAULT_KINDS, 8, T0)?.alerts).toHaveLength(1);
});

test("the same is told once in its quiet time: a state for an hour, a machine for a day", () => {
  const flapping = Array.from({ length: 120 }, (_, index) =>
    alert(index + 1, "held", { at: T0 + index * MINUTE }),
  );
  expect(play(flapping, 119).sizes).toEqual([1, 1]);
  const again = [
    machine(1, "a"),
    { ...machine(2, "a"), at: T0 + 300 * MINUTE },
    { ...machine(3, "b"), at: T0 + 301 * MINUTE },
  ];
  expect(play(again, 400).sizes).toEqual([1, 1]);
});

test.each(["settings", "halted", "drained"] as const)(
  "another reason for %s is told at once, the same one is not",
  (kind) => {
    const texts = ["one", "two", "two", "one"];
    const said = texts.map((text, index) => alert(index + 1, kind, { text, at: T0 + index * MINUTE }));
    expect(play(said, 10).sizes).toEqual([1, 1]);
    const flood = Array.from({ length: 60 }, (_, index) =>
      alert(index + 1, kind, { at: T0 + index * MINUTE }),
    );
    expect(play(flood, 60).sizes.length).toBeLessThanOrEqual(18);
  },
);

test("500 machines lost at once are one message", () => {
  expect(
    play(
      Array.from({ length: 500 }, (_, index) => machine(index + 1, `m${index}`)),
      5,
    ).sizes,
  ).toEqual([500]);
});

test("a loss each minute, for ten hours: all are told, in few messages", () => {
  const losses = Array.from({ length: 600 }, (_, index) => ({
    ...machine(index + 1, `m${index}`),
    at: T0 + index * MINUTE,
  }));
  const { sizes } = play(losses, 610);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(600);
  expect(sizes.length).toBeLessThanOrEqual(10 * 18);
});

test("a message that was begun is the same again, whatever has happened since", () => {
  const first = [machine(1, "a"), machine(2, "b")];
  const begun = { ...newOutbox(0), sending: 2 };
  const later = [...first, machine(3, "c")];
  expect(nextBatch(begun, later, DEFAULT_KINDS, 3, T0 + 900 * MINUTE)).toEqual({ to: 2, alerts: first });
  const done = afterBatch(begun, { to: 2, alerts: first }, T0);
  expect(nextBatch(done, later, DEFAULT_KINDS, 3, T0)?.alerts).toEqual([later[2]]);
});

test("only what a target asks for", () => {
  expect(nextBatch(newOutbox(0), [alert(1, "running")], DEFAULT_KINDS, 1, T0)).toBeUndefined();
  expect(nextBatch(newOutbox(0), [alert(1, "running")], ["running"], 1, T0)?.alerts).toHaveLength(1);
});

test("a message that was begun for kinds that nobody asks for any more holds nothing up", () => {
  const begun = { ...newOutbox(0), sending: 1 };
  const batch = nextBatch(begun, [alert(1, "held"), machine(2, "a")], ["interrupted"], 2, T0);
  expect(batch).toEqual({ to: 1, alerts: [] });
  const on = afterBatch(begun, batch ?? { to: 0, alerts: [] }, T0);
  expect(nextBatch(on, [machine(2, "a")], ["interrupted"], 2, T0)?.alerts).toHaveLength(1);
});

test("a cursor is not left behind by events that tell nobody anything", () => {
  expect(nextBatch(newOutbox(0), [], DEFAULT_KINDS, 400, T0)).toBeUndefined();
  expect(nextBatch(newOutbox(0), [], DEFAULT_KINDS, 501, T0)).toEqual({ to: 501, alerts: [] });
});

test("a fleet that launches no more for its churn is told of, though it was told just now that its launches fail", () => {
  const failing = alert(1, "held");
  const first = nextBatch(newOutbox(0), [failing], DEFAULT_KINDS, 1, T0 + MINUTE);
  const outbox = afterBatch(newOutbox(0), first!, T0 + MINUTE);
  const churned = alert(2, "held", { event: "churned", at: T0 + MINUTE });
  const again = alert(3, "held", { at: T0 + MINUTE });
  const next = nextBatch(outbox, [churned, again], DEFAULT_KINDS, 3, T0 + 10 * MINUTE);
  expect(next?.alerts).toEqual([churned]);
});

test("each update that fails is told of, though another one failed just now", () => {
  const failed = (sequence: number, more: Partial<Alert>): Alert =>
    alert(sequence, "notReady", { event: "updateFailed", at: T0 + sequence * MINUTE, ...more });
  expect(play([failed(1, {}), failed(8, {}), failed(9, { text: "notReady 8" })], 20).sizes).toEqual([1, 1]);
});
