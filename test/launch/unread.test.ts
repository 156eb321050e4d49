import { expect, it } from "vitest";
import { disownNameless, namelessText } from "../../launch/machine/unread.ts";
import { toLookUp } from "../../launch/resolve/missing.ts";
import { LaunchBench, OSLO } from "./bench.ts";

const BROKEN = { unread: 'status (/status) should be a text, but is {"a":1}', where: "deployments[0]" };
const NAMELESS = {
  unread: "id (/id) should be a text or a whole number, but is missing",
  where: "deployments[1]",
};

/** The record of a machine is there, and nothing but its id can be read. */
function broken(bench: LaunchBench, id: string): void {
  bench.shown.delete(id);
  bench.unread = [...bench.unread, { ...BROKEN, id }];
}

function later(bench: LaunchBench): void {
  bench.look("m1");
  bench.poll(10 * 60_000);
}

it("leaves a machine of ours as it was shown last, and does not miss it", () => {
  const bench = new LaunchBench();
  bench.machine("m1", {}, OSLO);
  broken(bench, "m1");
  later(bench);
  expect(bench.row("m1")).toMatchObject({
    status: "running",
    claim: "certain",
    end: null,
    missing: null,
    flaw: { why: BROKEN.unread, setAside: true },
  });
  bench.unread = [];
  bench.show("m1", { id: "m1", status: "interrupted" });
  bench.list();
  expect(bench.row("m1").end).toBe("interrupted");
  expect(bench.row("m1").flaw).toBeUndefined();
});

it("writes the row once, however many lists show it so", () => {
  const bench = new LaunchBench();
  bench.machine("m1");
  broken(bench, "m1");
  bench.list();
  const written = bench.log.length;
  bench.poll(60_000);
  expect(bench.log.slice(written).filter(({ table }) => table === "deployment")).toEqual([]);
});

it("brings a machine back that was gone", () => {
  const bench = new LaunchBench({ get: false });
  bench.machine("m1");
  bench.shown.delete("m1");
  bench.poll(120_000);
  expect(bench.row("m1").end).toBe("gone");
  broken(bench, "m1");
  bench.list();
  expect(bench.row("m1")).toMatchObject({ end: null, ended: null });
});

it("is no end of a stop, however often", () => {
  const bench = new LaunchBench();
  bench.machine("m1");
  bench.decide((draft, { now }) => {
    const stop = { asked: now, why: "", attempts: 1, attempted: now, accepted: true, error: null };
    draft.putDeployment({ ...bench.row("m1"), status: "winding", stop });
  });
  broken(bench, "m1");
  bench.poll(600_000);
  expect(bench.row("m1").end).toBeNull();
});

it("reports one that was never seen, and takes it for an open launch's where nobody else launches", () => {
  const shared = new LaunchBench({ tenure: "shared", shownBack: ["marker"], marker: true });
  broken(shared, "m1");
  shared.list();
  expect(shared.reported).toEqual(["m1"]);
  expect(shared.row("m1").status).toBe("unreadable");
  const exclusive = new LaunchBench();
  const intent = exclusive.launch();
  exclusive.lose(intent);
  broken(exclusive, "m1");
  exclusive.advance(1);
  exclusive.list();
  expect(exclusive.intent(intent)).toMatchObject({ state: "claimed", deployment: "m1" });
});

it("keeps a launch open on a shared account while one that came after it cannot be read", () => {
  const bench = new LaunchBench({ tenure: "shared", marker: true, shownBack: ["marker"] });
  const intent = bench.launch();
  bench.lose(intent);
  broken(bench, "m1");
  bench.untilAbsent();
  bench.poll(30 * 60_000);
  expect(bench.intent(intent).state).toBe("open");
  bench.unread = [];
  bench.show("m1", { status: "running", marker: "theirs" });
  bench.poll(300_000);
  expect(bench.intent(intent).state).toBe("absent");
});

it("without an id it is no absence: neither of a machine nor of a launch after which it came", () => {
  const bench = new LaunchBench();
  bench.machine("m1");
  const intent = bench.launch();
  bench.lose(intent);
  bench.shown.delete("m1");
  bench.unread = [NAMELESS];
  bench.poll(15_000);
  bench.look("m1");
  bench.untilAbsent();
  expect(bench.row("m1").end).toBeNull();
  expect(bench.intent(intent)).toMatchObject({
    state: "open",
    detail: expect.stringContaining("fleetkeeper disown unreadable"),
  });
  expect(namelessText(bench.rows.account)).toContain(
    "1 record of the list has no id that can be read (deployments[1]: id",
  );
  expect(bench.decide(disownNameless)).toBe(1);
  expect(bench.decide(disownNameless)).toBe(0);
  // Lists count from here on.
  bench.poll(75_000);
  expect(bench.row("m1").end).toBe("gone");
  expect(bench.intent(intent).state).toBe("absent");
  expect(namelessText(bench.rows.account)).toBeUndefined();
  bench.unread = [NAMELESS, { ...NAMELESS, where: "deployments[2]" }];
  bench.poll(15_000);
  expect(namelessText(bench.rows.account)).toContain("1 record of the list has");
});

it("a list with one without an id is none of the two that agree on a machine being gone", () => {
  const bench = new LaunchBench();
  bench.machine("m1");
  bench.shown.delete("m1");
  bench.unread = [NAMELESS];
  bench.poll(30_000);
  bench.unread = [];
  bench.look("m1");
  bench.poll(60_000);
  expect(bench.row("m1").end).toBeNull();
  bench.poll(15_000);
  expect(bench.row("m1").end).toBe("gone");
});

it("without an id it was there before a launch, and is not its machine", () => {
  const bench = new LaunchBench();
  bench.unread = [NAMELESS];
  const intent = bench.launch();
  bench.lose(intent);
  bench.untilAbsent();
  expect(bench.intent(intent).state).toBe("absent");
});

it("one that was readable again when the next one came is not taken for that", () => {
  const bench = new LaunchBench();
  bench.unread = [NAMELESS];
  const intent = bench.launch();
  bench.lose(intent);
  bench.unread = [];
  bench.poll(15_000);
  bench.unread = [NAMELESS];
  bench.untilAbsent();
  expect(bench.intent(intent).state).toBe("open");
});

it("a list with one without an id is no baseline where others launch and nothing tells ours apart", () => {
  const bench = new LaunchBench({ tenure: "shared" });
  bench.unread = [NAMELESS];
  bench.list();
  expect(bench.why(bench.admit())).toBe("nameless");
  bench.decide(disownNameless);
  bench.list();
  expect(bench.why(bench.admit())).toBe("admitted");
});

/** The list has two records of it, and each says something else. */
function contradicting(bench: LaunchBench, id: string): void {
  broken(bench, id);
  bench.unread = bench.unread.map((each) => ({ ...each, contradicts: true as const }));
}

it("asks by id for what a list contradicts itself of, at each such list, and believes that", () => {
  const bench = new LaunchBench();
  bench.machine("m1");
  contradicting(bench, "m1");
  bench.list();
  expect(toLookUp(bench.draft)).toEqual(["m1"]);
  bench.show("m1");
  bench.look("m1");
  expect(bench.row("m1")).toMatchObject({ status: "running", end: null });
  expect(toLookUp(bench.draft)).toEqual([]);
  contradicting(bench, "m1");
  bench.list();
  bench.show("m1", { status: "failed" });
  bench.look("m1");
  expect(bench.row("m1").end).toBe("failed");
  contradicting(bench, "m1");
  bench.advance(1_000);
  bench.list();
  expect(toLookUp(bench.draft)).toEqual(["m1"]);
});
