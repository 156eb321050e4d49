import { expect, test } from "vitest";
import { booksOf } from "../../arena/books.ts";
import type { Truth } from "../../simulator/truth.ts";

const HOUR = 3_600_000;

/** A machine of one GPU, by the hours at which it was made, ran and ended. */
function machine(made: number, ran: number, ended: number | null) {
  return {
    gpus: 1,
    committedAt: made * HOUR,
    states: [{ state: "running", at: ran * HOUR }],
    endedAt: ended === null ? null : ended * HOUR,
    statement: { charged: "2.00" },
  };
}

const truth = (...machines: ReturnType<typeof machine>[]): Truth =>
  ({ machines, launches: machines }) as unknown as Truth;

test("what is paid for beyond what is wanted is too much, what is wanted and does not run is too little, and what lives on is left", () => {
  const wanted = [
    { at: 0, gpus: 2 },
    { at: 4 * HOUR, gpus: 0 },
  ];
  const books = booksOf(
    truth(machine(0, 1, 4), machine(0, 0, 3), machine(2, 2, null)),
    wanted,
    6 * HOUR,
    HOUR / 2,
  );
  expect(books).toEqual({
    // The third machine from hour 2 to 3, and from half an hour after all were wanted no more.
    doubled: 1 + 1.5,
    // One of two in the first hour.
    short: 1,
    left: 1,
    launches: 3,
    usd: "6.00",
  });
});

test("a machine that is wanted no more has time to go", () => {
  const wanted = [
    { at: 0, gpus: 1 },
    { at: HOUR, gpus: 0 },
  ];
  expect(booksOf(truth(machine(0, 0, 1.4)), wanted, 3 * HOUR, HOUR / 2).doubled).toBe(0);
  expect(booksOf(truth(machine(0, 0, 1.75)), wanted, 3 * HOUR, HOUR / 2).doubled).toBe(0.25);
});
