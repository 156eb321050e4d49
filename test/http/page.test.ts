import { afterEach, expect, it } from "vitest";
import { setShortRunway } from "../../agent/fleet/money/runway.ts";
import { drainFleet, pauseFleet, resumeFleet } from "../../agent/fleet/phase/fleet-orders.ts";
import { putAway } from "../../agent/status/seen.ts";
import type { Context } from "../../launch/facts/context.ts";
import { contextOf } from "../../launch/keeper.ts";
import { storeQuickList, storeSlowList } from "../../launch/list/slow-list.ts";
import type { Draft } from "../../ledger/draft.ts";
import { FleetkeeperError } from "../../service/contract/errors.ts";
import { deploymentAsFound } from "../support/as-found.ts";
import { befoul, HOSTILE } from "./hostile.ts";
import { read, section } from "./markup.ts";
import type { Scene } from "./scene.ts";
import { badDay, MINUTE, NORTH, SOUTH, scene } from "./scene.ts";

let on: Scene;
afterEach(() => on.close());

/** Controls and what turns or hides text; a line's end is none. */
const INVISIBLE = /(?!\n)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;

it("on a quiet day says what is asked for and what runs, and that nothing needs anybody", async () => {
  on = await scene({ balance: "5000.0000" });
  await on.declare({ training: { gpus: 16, candidates: [NORTH] } });
  on.start();
  await on.clock.advance(10 * MINUTE);
  const markup = await on.text("/");
  const text = read(markup);
  expect(text).toContain("Nothing needs you");
  expect(text).toContain("GPUs running 16 of 16");
  expect(text).toContain("Spent an hour $32.00");
  expect(text).toContain("Balance $4,968.00");
  expect(text).toContain("Runway 6 days 11 h");
  expect(section(markup, "fleets")).toMatch(/training complete .* 16 of 16 GPUs running Nothing to do/);
  expect(section(markup, "losses")).toContain("None so far");
  for (const absent of ["unaccounted", "cooldowns", "deployments", "budgets"])
    expect(section(markup, absent)).toBe("");
});

it("each limit over a label or the account has a row with what is left", async () => {
  on = await badDay();
  expect(section(await on.text("/"), "budgets")).toMatch(
    /Over When Limit Spent Left team=vision today \$200\.00 \$5\.00 \$195\.00 the whole account in all \$4,000\.00 \$66\.\d+ \$3,933\.\d+ $/,
  );
});

it("in an outage nothing is live: all is as old as the newest list, and what is wrong is said with its beginning", async () => {
  on = await scene({ balance: "5000.0000" });
  await on.declare({ training: { gpus: 16, candidates: [NORTH] } });
  on.start();
  await on.clock.advance(10 * MINUTE);
  expect(await on.text("/")).toContain('data-live="Live"');
  const seen = new Date(on.keeper.clock.now().wall).toISOString().slice(11, 16);
  on.simulator.control.faults.chance("deployments", [{ fault: { kind: "refuse" }, probability: 1 }]);
  await on.clock.advance(12 * MINUTE);
  const markup = await on.text("/");
  expect(markup).not.toContain('data-live="Live"');
  expect(markup).toContain(`data-live="As of ${seen}, 12 min ago"`);
  expect(markup).toContain(`<title>16 of 16 GPUs (as of ${seen})`);
  expect(section(markup, "attention")).toMatch(
    /The service cannot be read since \d+ \w+ \d\d:\d\d \(12 min\)\. .*cannot be reached/,
  );
  expect(section(markup, "fleets")).toContain(`As of ${seen}, 12 min ago: it may have changed since.`);
  const { accounts } = JSON.parse(await on.text("/api/status")) as { accounts: object[] };
  expect(accounts).toMatchObject([{ fresh: false, outage: { kind: "unreadable" } }]);
  on.simulator.control.faults.clear();
  await on.clock.advance(2 * MINUTE);
  const after = await on.text("/");
  expect(after).toContain('data-live="Live"');
  expect(read(after)).toContain("Nothing needs you");
  expect(section(after, "events")).toContain("readable");
});

it("says that nothing needs anybody of no fleet that lacks GPUs, is paused below its count, or was drained", async () => {
  on = await scene({ balance: "5000.0000" });
  await on.declare({ training: { gpus: 16, candidates: [NORTH] } });
  on.start();
  await on.clock.advance(10 * MINUTE);
  const { keeper } = on;
  const order = (give: (draft: Draft, name: string, context: Context) => unknown): Promise<unknown> =>
    keeper.ledger.decide(keeper.account, (draft) => give(draft, "training", contextOf(keeper)));
  await order(pauseFleet);
  await on.declare({ training: { gpus: 24, candidates: [NORTH] } });
  await on.clock.advance(MINUTE);
  const paused = await on.text("/");
  expect(read(paused)).not.toContain("Nothing needs you");
  expect(section(paused, "attention")).toMatch(/training is paused, and lacks 8 of 24 GPUs/);
  await order(resumeFleet);
  await order(drainFleet);
  await on.clock.advance(20 * MINUTE);
  const drained = await on.text("/");
  expect(section(drained, "attention")).toMatch(
    /training was drained by an operator.*fleetkeeper resume training/,
  );
  expect(section(drained, "fleets")).toMatch(/training drained .*0 of 24 GPUs running/);
  on.simulator.control.cooldown(NORTH, 600);
  await order(resumeFleet);
  await on.clock.advance(MINUTE);
  expect(section(await on.text("/"), "attention")).toMatch(/training lacks 24 of 24 GPUs.*cools for/);
});

it("says which update is paused, and counts what one fleet lacks beside what another has too many", async () => {
  on = await scene({ balance: "5000.0000" });
  await on.declare({
    training: { gpus: 4, overshoot: 4, candidates: [NORTH], update: {} },
    other: { gpus: 4, candidates: [NORTH] },
  });
  on.start();
  await on.clock.advance(10 * MINUTE);
  const { keeper, clock } = on;
  await keeper.ledger.decide(keeper.account, (draft) => {
    const fleet = draft.fleets.get("training");
    if (fleet)
      draft.putFleet({ ...fleet, updateHeld: { since: clock.now(), why: "m2 was not ready in time" } });
  });
  await clock.advance(MINUTE);
  const shown = await on.text("/");
  expect(section(shown, "attention")).toMatch(
    /The update of training is paused\. m2 was not ready in time\. Nothing more is replaced before another declaration, or: fleetkeeper resume training/,
  );
  expect(read(shown)).toMatch(/GPUs running ?8 of 8 ?4 missing/);
});

it("a failure for support can be put away: it needs nobody any more, and stays under what failed", async () => {
  on = await badDay();
  const { keeper } = on;
  const [failed] = (await keeper.ledger.read(keeper.account)).deployments.filter(
    ({ end }) => end === "failed",
  );
  const id = failed?.id ?? "";
  expect(section(await on.text("/"), "attention")).toContain(`fleetkeeper seen ${id}`);
  const seen = (which?: string) =>
    keeper.ledger.decide(keeper.account, (draft) => putAway(draft, which, contextOf(keeper)));
  await expect(seen("nobody")).rejects.toThrow(
    `no failed launch of ours has this id (not put away yet: ${id})`,
  );
  expect(await seen()).toEqual([id]);
  expect(await seen(id)).toEqual([]);
  await on.clock.advance(MINUTE);
  const markup = await on.text("/");
  expect(section(markup, "attention")).not.toContain("support");
  expect(section(markup, "losses")).toContain(id);
  expect(section(markup, "events")).toContain("was put away by an operator");
});

it("on a bad day says what is missing and why, what nobody answers for, what cools, what was lost, and what to do", async () => {
  on = await badDay();
  const markup = await on.text("/");
  expect(section(markup, "attention")).toMatch(/The balance lasts 2 h 3\d min more/);
  expect(section(markup, "attention")).toMatch(
    /A machine runs that nobody here answers for\. \$2\.50 an hour/,
  );
  expect(section(markup, "attention")).toMatch(/A failed launch is for the service's support/);
  expect(section(markup, "fleets")).toMatch(
    /training short .*24 of 32 GPUs running, 8 missing; below its count for \d+ s after a loss/,
  );
  expect(section(markup, "fleets")).toMatch(/Now, and why h100-8 @ north\/oslo cools for \d+ s more/);
  expect(section(markup, "unaccounted")).toMatch(
    /h100-1 north\/oslo 1 \$2\.50 .*fleetkeeper adopt \S+ --fleet NAME .*fleetkeeper disown/,
  );
  expect(section(markup, "cooldowns")).toMatch(/h100-8 @ north\/oslo 5 min h100-8 @ south\/rome 4 min/);
  const losses = section(markup, "losses");
  expect(losses).toMatch(/Interrupted provider_interrupted/);
  expect(losses).toMatch(
    /Failed UNKNOWN The launch failed for an unknown reason\. Suggested: Contact support with the deployment ID\./,
  );
  expect(section(markup, "events")).toMatch(/interrupted .* training/);
});

it("says that lists take longer than a poll interval, until one does not", async () => {
  on = await scene({ balance: "5000.0000" });
  await on.declare({ training: { gpus: 8, candidates: [NORTH] } });
  on.start();
  await on.clock.advance(10 * MINUTE);
  const { keeper } = on;
  const { ledger, account, clock } = keeper;
  await ledger.decide(account, (draft) => storeSlowList(draft, clock.now(), contextOf(keeper)));
  expect(section(await on.text("/"), "attention")).toContain(
    "Lists take longer than one poll interval since",
  );
  await ledger.decide(account, storeQuickList);
  await on.clock.advance(MINUTE);
  expect(section(await on.text("/"), "attention")).not.toContain("poll interval");
});

it("shows a machine whose id was given anew where others launch, and whose it was", async () => {
  on = await scene({ balance: "5000.0000", account: "shared" });
  await on.declare({ training: { gpus: 8, candidates: [NORTH] } });
  on.start();
  await on.clock.advance(10 * MINUTE);
  const [id] = on.simulator.truth().machines.map((each) => each.id);
  on.simulator.control.giveAnew(String(id), { offer: "h100-1", provider: "north", location: "oslo" });
  await on.clock.advance(10 * MINUTE);
  const markup = await on.text("/");
  expect(section(markup, "unaccounted")).toContain(`${id} its id was fleet training's`);
  expect(section(markup, "events")).toMatch(
    /was h100-8 with 8 GPUs, and is shown as h100-1 with 1 GPU: the id may be/,
  );
  expect(on.simulator.truth().launches).toHaveLength(1);
});

it("warns of a short runway as the fleet file says, and of machines whose price nobody knows by the least they cost", async () => {
  on = await scene({
    balance: "900.0000",
    alter: (profile) => profile.replace("pricePerHour: /price_per_hour", ""),
  });
  await on.declare({ training: { gpus: 16, candidates: [{ ...NORTH, pricePerHour: "16" }], match: "none" } });
  on.start();
  await on.clock.advance(10 * MINUTE);
  expect(section(await on.text("/"), "attention")).toContain("Nothing needs you");
  await on.keeper.ledger.decide(on.keeper.account, (draft) => setShortRunway(draft, 48 * 60 * MINUTE));
  on.simulator.control.launchByHand(SOUTH);
  await on.clock.advance(6 * MINUTE);
  const markup = await on.text("/");
  const attention = section(markup, "attention");
  expect(attention).toMatch(
    /The balance lasts at most 26 h \d+ min more\. \$\d+\.00 are left, and at least \$32\.00/,
  );
  expect(attention).toContain("nobody here answers for. Nobody knows how much an hour. Say whose");
  expect(read(markup)).toMatch(/Runway ≤ 26 h \d+ min until .* at most: a price is not known/);
  const metrics = await on.text("/metrics");
  expect(metrics).toContain("fleetkeeper_unaccounted_unpriced_machines 1\n");
  expect(metrics).not.toMatch(/^fleetkeeper_runway_seconds/m);
  const events = await on.ledger.events(on.keeper.account, 100);
  expect(events.filter(({ kind }) => kind === "runway")).toHaveLength(1);
});

it("says which fleet has spent its total, and which drained one still costs money", async () => {
  on = await scene({
    balance: "5000.0000",
    alter: (profile) => profile.replace(/^stop:[\s\S]*?(?=^\S)/m, ""),
  });
  const candidates = [{ ...NORTH, pricePerHour: "16" }];
  await on.declare({ training: { gpus: 8, candidates, budget: { total: "40" } } });
  on.start();
  await on.clock.advance(10 * MINUTE);
  expect(section(await on.text("/"), "attention")).toContain("Nothing needs you");
  await on.declare({ training: { gpus: 8, candidates, budget: { total: "10" } } });
  await on.clock.advance(MINUTE);
  const attention = section(await on.text("/"), "attention");
  expect(attention).toContain("2 things need you");
  expect(attention).toMatch(
    /training is drained, and a machine of it cannot be stopped from here\. \S+: paid for until/,
  );
  expect(attention).toContain(
    "training is drained: its total is spent. It has cost 16.00 USD of its total of 10.00. Raise budget.total",
  );
  expect(await on.text("/metrics")).toContain('fleetkeeper_fleet_spent_usd{fleet="training"} 16\n');
});

it("says so when a failure keeps recurring, as the specification sends people to support for that, too", async () => {
  on = await scene({ balance: "5000.0000" });
  await on.declare({ training: { gpus: 8, candidates: [NORTH] } });
  const fail = (times: number): void =>
    on.simulator.control.failNext({}, { code: "PLATFORM_PROVIDER_ISSUE" }, { times });
  fail(2);
  on.start();
  await on.clock.advance(10 * MINUTE);
  expect(section(await on.text("/"), "losses")).toContain("PLATFORM_PROVIDER_ISSUE");
  expect(section(await on.text("/"), "attention")).toContain("Nothing needs you");
  fail(1);
  const [machine] = on.simulator.truth().machines.filter(({ endedAt }) => endedAt === null);
  on.simulator.control.interrupt(machine?.id ?? "", { now: true });
  await on.clock.advance(10 * MINUTE);
  expect(section(await on.text("/"), "attention")).toMatch(/A failed launch is for the service's support/);
});

it("says so when the service cannot be read, and when it can again", async () => {
  on = await scene();
  on.start();
  await on.clock.advance(MINUTE);
  on.simulator.control.faults.chance("deployments", [
    { fault: { kind: "errorBefore", status: 500 }, probability: 1 },
  ]);
  await on.clock.advance(2 * MINUTE);
  expect(section(await on.text("/"), "attention")).toMatch(
    /The service cannot be read\. .*500.*Nothing new is launched or stopped/,
  );
  on.simulator.control.faults.clear();
  await on.clock.advance(2 * MINUTE);
  expect(read(await on.text("/"))).toContain("Nothing needs you");
});

it("says so when it is the ledger that cannot be written, and not the service that cannot be read", async () => {
  on = await scene();
  on.start();
  await on.clock.advance(MINUTE);
  on.fail(new FleetkeeperError("LEDGER_BUSY", "/var/fleet.db: the disk may be full"), 5_000);
  const text = section(await on.text("/"), "attention");
  expect(text).toMatch(
    /The ledger cannot be written\. .*the disk may be full\. Nothing new is launched or stopped/,
  );
  expect(text).not.toContain("The service cannot be read");
});

it("says what a fleet waits for that asks for the impossible", async () => {
  on = await scene();
  await on.declare({ odd: { gpus: 12, candidates: [NORTH, SOUTH] } });
  on.start();
  await on.clock.advance(5 * MINUTE);
  expect(section(await on.text("/"), "fleets")).toMatch(
    /odd short .*no mix of machines with 8 GPUs makes 12 GPUs exactly/,
  );
});

it("says on a shared account what is disputed", async () => {
  on = await badDay("shared");
  await on.ledger.decide(on.keeper.account, (draft) => {
    const [row] = [...draft.deployments.values()].filter(({ claim, end }) => claim === null && end === null);
    if (row) deploymentAsFound(draft, { ...row, claim: "disputed" });
  });
  const text = section(await on.text("/"), "unaccounted");
  expect(text).toMatch(/disputed running/);
  expect(text).toContain("at least one came from a launch of ours whose answer was lost");
});

it("charts the time that is asked for, and says in words what they show", async () => {
  on = await badDay();
  for (const [range, spoken] of [
    ["6h", "6 hours"],
    ["24h", "24 hours"],
    ["7d", "7 days"],
    ["30d", "30 days"],
  ]) {
    const markup = await on.text(`/?range=${range}`);
    expect(markup).toContain(`href="?range=${range}" aria-current="true"`);
    expect(read(markup)).toContain(
      `GPUs that run in the last ${spoken}: from 0 to 26, at least 0 and at most 34.`,
    );
    expect(read(markup)).toMatch(
      new RegExp(`The balance in the last ${spoken}: from \\$900\\.00 to \\$1\\d\\d\\.\\d\\d`),
    );
  }
  // Anything else is no range.
  for (const odd of ["1y", "constructor", "<b>"])
    expect((await on.get(`/?range=${encodeURIComponent(odd)}`)).status).toBe(200);
});

it("a chart of a ledger younger than its range begins where the data begins", async () => {
  on = await badDay();
  const markup = await on.text("/?range=30d");
  const xs = [...markup.matchAll(/class="stroke (?:running|money)" d="M([\d.]+) /g)].map(([, x]) =>
    Number(x),
  );
  expect(xs.length).toBeGreaterThan(1);
  for (const x of xs) expect(x).toBeLessThan(60);
});

it("a chart of a ledger older than its range keeps its range, and shows that nobody looked at its beginning", async () => {
  on = await scene();
  await on.declare({ training: { gpus: 8, candidates: [NORTH] } });
  await on.clock.advance(7 * 60 * MINUTE);
  on.start();
  await on.clock.advance(60 * MINUTE);
  const beginsAt = async (range: string): Promise<number> => {
    const markup = await on?.text(`/?range=${range}`);
    return Number(/class="stroke asked" d="M([\d.]+) /.exec(markup ?? "")?.[1]);
  };
  // The last of six hours; the ledger was made eight hours ago.
  expect(await beginsAt("6h")).toBeGreaterThan(800);
  expect(await beginsAt("24h")).toBeLessThan(60);
});

it("says what of today's money was refunded, where a sum has fallen by it", async () => {
  on = await scene({ balance: "900.0000" });
  await on.declare({ training: { gpus: 8, candidates: [NORTH] } });
  on.simulator.control.failNext({ provider: "north" }, { code: "UNKNOWN" });
  on.start();
  await on.clock.advance(10 * MINUTE);
  expect(section(await on.text("/"), "fleets")).toMatch(
    /About \$16\.00 today \(after \$16\.00 that were refunded\) and \$16\.00 in all/,
  );
  const { accounts } = JSON.parse(await on.text("/api/status")) as { accounts: object[] };
  expect(accounts).toMatchObject([{ fleets: [{ spent: { today: "16.0000", refundedToday: "16.0000" } }] }]);
});

it("is built of landmarks, headings without a gap, named charts, and tables whose headings have a scope", async () => {
  on = await badDay();
  const markup = await on.text("/");
  for (const landmark of [
    /<html lang="en">/,
    /<header class="top">/,
    /<main id="main"/,
    /<footer /,
    /<nav aria-label=/,
  ])
    expect(markup).toMatch(landmark);
  const levels = [...markup.matchAll(/<h([1-6])/g)].map(([, level]) => Number(level));
  expect(levels.filter((level) => level === 1)).toEqual([1]);
  for (const [index, level] of levels.entries())
    expect(level - (levels[index - 1] ?? 0)).toBeLessThanOrEqual(1);
  for (const [heading] of markup.matchAll(/<th [^>]*>/g)) expect(heading).toMatch(/ scope="(col|row)"/);
  for (const [tables] of markup.matchAll(/<table[^>]*>\s*<caption/g)) expect(tables).toBeTruthy();
  const ids = [...markup.matchAll(/ id="([^"]*)"/g)].map(([, id]) => id);
  expect(new Set(ids).size).toBe(ids.length);
  for (const [, names] of markup.matchAll(/aria-(?:labelledby|describedby)="([^"]*)"/g))
    for (const name of (names ?? "").split(" ")) expect(ids).toContain(name);
  for (const [svg] of markup.matchAll(/<svg [^>]*>/g))
    expect(svg).toMatch(/role="img"|aria-hidden|viewBox="0 0 1000/);
});

it("without a script comes again by itself, and has neither script nor style inside", async () => {
  on = await scene();
  const markup = await on.text("/");
  expect(markup).toContain('<noscript><meta http-equiv="refresh" content="15"></noscript>');
  expect(markup).not.toMatch(/<script(?![^>]* src=)|<style|\sstyle=|\son[a-z]+=/);
  for (const [, address] of markup.matchAll(/(?:src|href)="([^"]*)"/g))
    expect(address).not.toMatch(/^(?:\w+:|\/\/)/);
});

it("shows what a hostile service says as text, and little of it", async () => {
  on = await badDay();
  await befoul(on);
  const markup = await on.text("/");
  expect(markup.length).toBeLessThan(1_000_000);
  expect(markup).not.toMatch(/<script>|<img|<style|<svg onload|<\/title>[\s\S]*<\/title>/);
  expect(markup).not.toMatch(INVISIBLE);
  // Control: it is there, as text.
  expect(markup).toContain("&lt;script&gt;document.title=&quot;owned&quot;&lt;/script&gt;");
  const json = await on.text("/api/status");
  expect(json.length).toBeLessThan(5_000_000);
  expect(json).not.toMatch(INVISIBLE);
  expect(JSON.stringify(JSON.parse(json))).toContain(JSON.stringify(HOSTILE[5]).slice(1, -1));
  const metrics = await on.text("/metrics");
  expect(metrics.length).toBeLessThan(50_000);
  expect(metrics).not.toMatch(/owned|MMMM/);
});

it("names a machine whose stop does nothing, with what was sent and answered", async () => {
  on = await scene({ balance: "5000.0000" });
  await on.declare({ training: { gpus: 8, candidates: [{ ...NORTH, pricePerHour: "16" }] } });
  on.start();
  await on.clock.advance(10 * MINUTE);
  on.simulator.control.faults.chance("stop", [{ fault: { kind: "ignore" }, probability: 1 }]);
  await on.declare({ training: { gpus: 0, candidates: [{ ...NORTH, pricePerHour: "16" }] } });
  await on.clock.advance(20 * MINUTE);
  expect(section(await on.text("/"), "attention")).toMatch(
    /(\S+) does not stop\. \1 was told to stop, is still running, and costs 16\.00 USD an hour: POST \S+\/stop was sent 8 times; last, the service answered 200\. Check stop in the profile/,
  );
  expect(section(await on.text("/"), "fleets")).toMatch(
    /does not stop, and costs money: fleetkeeper status says/,
  );
});
