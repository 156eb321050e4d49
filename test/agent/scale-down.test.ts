import { expect, test } from "vitest";
import { surplus } from "../../agent/planning/machines/scale-down.ts";
import type { DeploymentRow } from "../../ledger/rows.ts";
import { LaunchBench } from "../launch/bench.ts";
import { fleetBench, OSLO, planOn, SINGLE, wishFor } from "./on-bench.ts";

const MINUTE = 60_000;

interface Given {
  readonly id: string;
  readonly gpus?: number;
  readonly price?: string;
  readonly worth?: string;
  readonly status?: string;
  /** Minutes since it was launched. */
  readonly since?: number;
  readonly adopted?: boolean;
  readonly claim?: DeploymentRow["claim"];
}

/** The ids that go, in order, when this many GPUs are to remain. The first given is the one that was seen first. */
function stopped(given: readonly Given[], desired: number): readonly string[] {
  const on = new LaunchBench({ combination: true });
  for (const { id, gpus = 1, worth, status = "running" } of given)
    on.machine(id, { ...OSLO, gpus, worth }, { status, gpus });
  const now = { ...on.now, mono: on.now.mono + 600 * MINUTE, wall: on.now.wall + 600 * MINUTE };
  const rows = given.map(({ id, price = "2.00", since = 10, adopted, claim = "certain" }) => {
    const moment = { ...now, mono: now.mono - since * MINUTE, wall: now.wall - since * MINUTE };
    const row = on.row(id);
    const intent = row.intent ?? "";
    on.decide((draft) => draft.putIntent({ ...on.intent(intent), stamped: moment }));
    return {
      ...row,
      ...{ firstSeen: moment, claimed: moment, statusSince: now },
      ...{ claim, pricePerHour: price, intent: adopted ? null : intent },
    };
  });
  return surplus(on.draft, rows, desired, { ...on.context, now }).map(({ id }) => id);
}

test("no more than the surplus goes", () => {
  expect(stopped([{ id: "a" }, { id: "b" }, { id: "c" }], 2)).toHaveLength(1);
  expect(stopped([{ id: "a" }, { id: "b" }], 2)).toEqual([]);
  expect(
    stopped(
      [
        { id: "a", gpus: 8 },
        { id: "b", gpus: 1 },
      ],
      8,
    ),
  ).toEqual(["b"]);
  expect(stopped([{ id: "a", gpus: 8 }], 4)).toEqual([]);
});

test("of what is paid for as long, the dearest by work goes", () => {
  const two = [
    { id: "h100", price: "2.00" },
    { id: "h200", price: "2.50", worth: "1.4" },
  ];
  expect(stopped(two, 1)).toEqual(["h100"]);
  expect(
    stopped(
      [
        { id: "h100", price: "2.00" },
        { id: "h200", price: "2.50" },
      ],
      1,
    ),
  ).toEqual(["h200"]);
});

test("as few too many as possible stay, whatever the order would stop first", () => {
  const given = [
    { id: "two", gpus: 2 },
    { id: "other two", gpus: 2 },
    { id: "one", gpus: 1, price: "99.00" },
  ];
  expect(stopped(given, 3)).toEqual(["other two"]);
  expect(stopped(given, 4)).toEqual(["one"]);
  expect(stopped(given, 2)).toEqual(["one", "other two"]);
  expect(stopped(given.slice(0, 2), 3)).toEqual([]);
});

test("ten thousand machines are no matter", () => {
  const many = Array.from({ length: 10_000 }, (_, index) => ({ gpus: 1 + (index % 8) }));
  const on = new LaunchBench({ combination: true });
  on.machine("m", OSLO, { status: "running" });
  const rows = many.map(({ gpus }, index) => ({ ...on.row("m"), id: `m${index}`, gpus, intent: "none" }));
  const left =
    rows.length * 4.5 -
    surplus(on.draft, rows, 17, on.context).reduce((sum, { gpus }) => sum + (gpus ?? 0), 0);
  expect(left).toBe(17);
});

test("what does not run yet goes first: its hour comes back", () => {
  expect(
    stopped(
      [
        { id: "new", status: "provisioning", price: "1.00" },
        { id: "dear", price: "9.00" },
      ],
      1,
    ),
  ).toEqual(["new"]);
});

test("then what is nearest to the end of an hour that is paid for", () => {
  expect(
    stopped(
      [
        { id: "begun", since: 60 + 2, price: "9.00" },
        { id: "ending", since: 3 * 60 + 55 },
        { id: "middle", since: 30 },
      ],
      1,
    ),
  ).toEqual(["ending", "middle"]);
});

test("which is counted from the launch, as it is paid for, and not from when it ran", () => {
  const on = fleetBench({ gpus: 8, candidates: [{ ...OSLO, gpus: 8 }] });
  on.machine("old", OSLO, { ...OSLO, status: "provisioning" });
  on.advance(20 * MINUTE);
  on.show("old", { status: "running" });
  on.list();
  on.advance(15 * MINUTE);
  on.machine("new", OSLO, { ...OSLO, status: "running" });
  // 61 minutes after its launch, and 41 after it ran: the second hour of the old one has just been paid for.
  on.advance(26 * MINUTE);
  on.list();
  expect(planOn(on).stops).toMatchObject([{ id: "new" }]);
});

test("then the dearest GPU, then the newest machine", () => {
  expect(
    stopped(
      [
        { id: "old" },
        { id: "dear", gpus: 1, price: "2.50" },
        { id: "big", gpus: 8, price: "16.00" },
        { id: "new" },
      ],
      8,
    ),
  ).toEqual(["dear", "new", "old"]);
});

test("the dearest is so by the GPU, not by the machine", () => {
  const given = [
    { id: "big", gpus: 8, price: "16.00" },
    { id: "dear", gpus: 4, price: "9.00" },
    { id: "cheap", gpus: 4, price: "7.00" },
  ];
  expect(stopped(given, 8)).toEqual(["dear", "cheap"]);
});

test("what was adopted goes last, whatever it costs and does", () => {
  expect(
    stopped([{ id: "adopted", adopted: true, price: "99.00", status: "connecting" }, { id: "ours" }], 1),
  ).toEqual(["ours"]);
});

test("what is only inferred to be ours never goes", () => {
  expect(stopped([{ id: "maybe", claim: "inferred", price: "99.00" }, { id: "ours" }], 0)).toEqual(["ours"]);
});

test("nothing goes by a list from before a pause: what is left may have been lost since", () => {
  const on = fleetBench({ gpus: 3, candidates: [SINGLE] });
  const ids = ["a", "b", "c"];
  for (const id of ids) on.machine(id, { ...SINGLE, owner: "fleet:web" }, { ...SINGLE, status: "running" });
  wishFor(on, { gpus: 1, candidates: [SINGLE] }, { born: true });
  expect(planOn(on).stops).toHaveLength(2);
  on.advance(4 * on.settings.poll + 1);
  expect(planOn(on)).toMatchObject({ stops: [], reasons: [expect.stringContaining("too old")] });
  on.list();
  expect(planOn(on).stops).toHaveLength(2);
});

test("an overshoot is for what does not add up: a machine that is not needed goes all the same", () => {
  const on = fleetBench({ gpus: 2, overshoot: 1, candidates: [SINGLE] });
  for (const id of ["a", "b"])
    on.machine(id, { ...SINGLE, owner: "fleet:web" }, { ...SINGLE, status: "running" });
  for (const [gpus, stops] of [
    [2, 0],
    [1, 1],
    [0, 2],
  ] as const) {
    wishFor(on, { gpus, overshoot: 1, candidates: [SINGLE] }, { born: true });
    expect(planOn(on).stops).toHaveLength(stops);
  }
});
