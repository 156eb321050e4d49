import { expect, test } from "vitest";
import { declareFleet } from "../../agent/fleet/declare/fleets.ts";
import {
  forgetGiven,
  MONEY,
  minus,
  NOTHING,
  plus,
  portionOf,
  take,
  wholeOf,
  withPart,
} from "../../agent/fleet/phase/part.ts";
import { parseWish, wishSchema } from "../../agent/fleet/wish/wish.ts";
import { give } from "../../agent/planning/parts/part-held.ts";
import { movePortions } from "../../agent/reconcile/move-portions.ts";
import type { Context } from "../../launch/facts/context.ts";
import type { Keeper } from "../../launch/keeper.ts";
import { contextOf } from "../../launch/keeper.ts";
import type { Draft } from "../../ledger/draft.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { MemoryLedger } from "../../ledger/memory/memory-ledger.ts";
import type { FleetRow, GrantRow, Portion } from "../../ledger/rows.ts";
import { VirtualClock } from "../../simulator/index.ts";
import { Prng } from "../../simulator/prng.ts";
import { H100, stage } from "../support/stage.ts";

const NAMES = ["web", "web@b", "web@c"] as const;
const whole = (gpus: number) =>
  wishSchema.parse({
    gpus,
    overshoot: 4,
    surge: 6,
    select: {},
    budget: { perHour: String(gpus * 3), total: "1000" },
  });

/** Three accounts of one ledger, with a part of the same fleet in each. */
async function parts(gpus: number) {
  const clock = new VirtualClock();
  const ledger = new MemoryLedger("testledger00");
  const keepers: Keeper[] = [];
  for (const [index, name] of NAMES.entries()) {
    const { keeper } = await stage({ clock, ledger, offers: [H100], seed: index + 1 });
    keepers.push(keeper);
    await declare(keeper, name, gpus);
  }
  return { ledger, keepers };
}

async function declare(keeper: Keeper, name: string, gpus: number): Promise<void> {
  await keeper.ledger.decide(keeper.account, (draft) => {
    declareFleet(
      draft,
      { name, source: "file:f", wish: whole(gpus), part: { of: "web" } },
      contextOf(keeper),
    );
  });
}

async function rowsOf(ledger: Ledger): Promise<readonly FleetRow[]> {
  const rows: FleetRow[] = [];
  for (const { key } of await ledger.accounts()) rows.push(...(await ledger.read(key)).fleets);
  return rows;
}

/** What all parts have, with what is on its way: it has to be the whole. */
async function surplus(ledger: Ledger): Promise<Portion> {
  const rows = await rowsOf(ledger);
  const has = rows.map((row) => (row.part ? portionOf(row, row.part) : NOTHING));
  const given = rows.flatMap((row) =>
    (row.part?.given ?? []).filter(({ to, sequence }) => {
      const taker = rows.find(({ name }) => name === to);
      return sequence > (taker?.part?.taken[row.name] ?? 0);
    }),
  );
  const first = rows.find(({ name, part }) => name === part?.of)?.part;
  const sum = [...has, ...given.map(({ amount }) => amount)].reduce(plus, NOTHING);
  return minus(sum, first ? wholeOf(first) : NOTHING);
}

test("whoever gives, takes and forgets, early, late or twice: the parts and what is on its way are the whole", async () => {
  for (let seed = 1; seed <= 40; seed++) {
    const random = new Prng(`portions ${seed}`);
    const { ledger, keepers } = await parts(32);
    const decide = async (
      name: string,
      decision: (draft: Draft, context: Context) => unknown,
    ): Promise<void> => {
      const keeper = keepers[(NAMES as readonly string[]).indexOf(name)];
      if (keeper) await ledger.decide(keeper.account, (draft) => void decision(draft, contextOf(keeper)));
    };
    // What somebody saw once, and may act on at any later moment. An older grant between two parts goes first.
    const seen: { readonly from: string; readonly grant: GrantRow }[] = [];
    for (let steps = 0; steps < 40; steps++) {
      const old = seen[random.integer(0, Math.max(0, seen.length - 1))];
      const rows = await rowsOf(ledger);
      const kind = random.pick(["give", "give", "take", "take", "take", "forget", "wish"] as const);
      if (kind === "wish") await declare(keepers[0] as Keeper, "web", random.integer(0, 64));
      if (kind === "give") {
        const [from, to] = [random.pick(NAMES), random.pick(NAMES)];
        const gpus = random.integer(0, 40);
        const amount = { ...NOTHING, gpus, overshoot: gpus % 3, surge: gpus % 5, perHour: String(gpus) };
        const evenHeld = gpus % 2 === 0;
        if (from !== to)
          await decide(from, (draft, context) => give(draft, from, { to, amount }, context, evenHeld));
        for (const row of await rowsOf(ledger))
          for (const grant of row.part?.given ?? []) seen.push({ from: row.name, grant });
      }
      if (kind === "take" && old) {
        const given = rows.find(({ name }) => name === old.from)?.part?.given ?? [];
        const older = given.filter(
          ({ to, sequence }) => to === old.grant.to && sequence < old.grant.sequence,
        );
        for (const grant of [...older, old.grant])
          await decide(grant.to, (draft) => take(draft, old.from, grant));
      }
      if (kind === "forget" && old) {
        const { to } = old.grant;
        const taken = rows.find(({ name }) => name === to)?.part?.taken[old.from] ?? 0;
        await decide(old.from, (draft) => forgetGiven(draft, old.from, to, taken));
      }
      const rest = await surplus(ledger);
      const none = [rest.gpus, rest.overshoot, rest.surge, ...MONEY.map((limit) => Number(rest[limit]))];
      expect(none, `seed ${seed}, step ${steps}`).toEqual([0, 0, 0, 0, 0, 0, 0]);
    }
  }
});

test("killed after any transaction, the next agent goes on, and nothing is lost or made", async () => {
  for (let kill = 1; ; kill++) {
    const { ledger, keepers } = await parts(32);
    const [first, second] = keepers;
    if (!first || !second) throw new Error("no keepers");
    // As if its list had shown that it has offers, and the others none.
    await ledger.decide(second.account, (draft) =>
      offer(draft.fleets.get("web@b"), second, (row) => draft.putFleet(row)),
    );
    await alive(ledger, keepers);
    let left = kill;
    const cut = new Proxy(ledger, {
      get: (target, key) =>
        key === "decide"
          ? (...args: Parameters<Ledger["decide"]>) => {
              if (left-- === 0) throw new Error("killed");
              return target.decide(...args);
            }
          : (Reflect.get(target, key).bind?.(target) ?? Reflect.get(target, key)),
    }) as Ledger;
    const done = await movePortions({ ...first, ledger: cut }, cut).then(
      () => true,
      () => false,
    );
    expect((await surplus(ledger)).gpus).toBe(0);
    for (let round = 0; round < 4; round++) for (const keeper of keepers) await movePortions(keeper, ledger);
    expect((await surplus(ledger)).gpus).toBe(0);
    const rows = await rowsOf(ledger);
    expect(rows.map(({ name, part }) => [name, part && portionOf({ name }, part).gpus])).toEqual([
      ["web", 0],
      ["web@b", 32],
      ["web@c", 0],
    ]);
    expect(rows.flatMap(({ part }) => part?.given ?? [])).toEqual([]);
    if (done) return;
  }
});

test("where two services count in two currencies nothing moves, and no part is chosen", async () => {
  const { ledger, keepers } = await parts(32);
  const [first, second] = keepers;
  if (!first || !second) throw new Error("no keepers");
  await ledger.decide(second.account, (draft) => {
    offer(draft.fleets.get("web@b"), second, (row) => draft.putFleet(row));
    draft.putAccount({ ...draft.account, currency: "EUR" });
  });
  await alive(ledger, keepers);
  for (let round = 0; round < 3; round++) for (const keeper of keepers) await movePortions(keeper, ledger);
  const rows = await rowsOf(ledger);
  expect(rows[0]?.part?.troubles).toEqual([expect.stringContaining("web in USD, b in EUR, c in USD")]);
  const told = (await ledger.events(first.account, 100)).filter(({ kind }) => kind === "serviceOut");
  expect(told).toHaveLength(1);
  expect(rows.map(({ name, part }) => [name, part && portionOf({ name }, part).gpus, part?.chosen])).toEqual([
    ["web", 32, undefined],
    ["web@b", 0, undefined],
    ["web@c", 0, undefined],
  ]);
});

test("a part that is taken out gives all that nothing holds, what was given back by hand, too", async () => {
  const { ledger, keepers } = await parts(32);
  const [first] = keepers;
  if (!first) throw new Error("no keepers");
  await ledger.decide(first.account, (draft) => {
    const fleet = draft.fleets.get("web");
    if (fleet) draft.putFleet({ ...fleet, lowered: 8 });
    const asked = { to: "web@b", amount: { ...NOTHING, gpus: 32 } };
    give(draft, "web", asked, contextOf(first));
    expect(draft.fleets.get("web")?.part?.given.map(({ amount }) => amount.gpus)).toEqual([24]);
    const now = draft.fleets.get("web");
    if (now) draft.putFleet({ ...now, removed: true });
    give(draft, "web", asked, contextOf(first));
    expect(draft.fleets.get("web")?.part?.given.map(({ amount }) => amount.gpus)).toEqual([24, 8]);
  });
});

test("surge that something holds is not given, and a grant takes the place of what was launched ahead", async () => {
  const { ledger, keepers } = await parts(32);
  const [first, second] = keepers;
  if (!first || !second) throw new Error("no keepers");
  await ledger.decide(first.account, (draft) => {
    const fleet = draft.fleets.get("web");
    // 8 above 32: 4 of them by overshoot, 4 of 6 by surge.
    if (fleet) draft.putFleet({ ...fleet, lowered: 40 });
    give(draft, "web", { to: "web@b", amount: { ...NOTHING, surge: 6 } }, contextOf(first));
    expect(draft.fleets.get("web")?.part?.given.map(({ amount }) => amount.surge)).toEqual([2]);
  });
  await ledger.decide(second.account, (draft) => {
    take(draft, "web", { to: "web@b", sequence: 1, amount: { ...NOTHING, surge: 6 } });
    const fleet = draft.fleets.get("web@b");
    if (fleet?.part) draft.putFleet(withPart(fleet, { ...fleet.part, ahead: 6 }));
    const counts = () => {
      const { gpus, surge } = parseWish(draft.fleets.get("web@b")?.wish);
      return [gpus, surge];
    };
    expect(counts()).toEqual([6, 0]);
    take(draft, "web", { to: "web@b", sequence: 2, amount: { ...NOTHING, gpus: 4 } });
    expect(counts()).toEqual([6, 4]);
    take(draft, "web", { to: "web@b", sequence: 3, amount: { ...NOTHING, gpus: 8 } });
    expect(counts()).toEqual([12, 6]);
  });
});

function offer(fleet: FleetRow | undefined, { clock }: Keeper, put: (row: FleetRow) => void): void {
  if (!fleet?.part) return;
  const costs = [8, 16, 24, 32].map((gpus) => [gpus, String(2 * gpus)] as const);
  put({ ...fleet, part: { ...fleet.part, offered: { at: clock.now().wall, costs, sizes: [8] } } });
}

/** Each account has its agent, and the others have said that they have nothing. */
async function alive(ledger: Ledger, keepers: readonly Keeper[]): Promise<void> {
  for (const { account, clock } of keepers)
    await ledger.decide(account, (draft) => {
      const now = clock.now();
      draft.putAccount({ ...draft.account, agent: { process: clock.self, beat: now, host: "test" } });
      for (const fleet of draft.fleets.values())
        if (fleet.part && !fleet.part.offered)
          draft.putFleet({
            ...fleet,
            part: { ...fleet.part, offered: { at: now.wall, costs: [], sizes: [] } },
          });
    });
}

test.each(["before it is read", "while it is under way"])(
  "a grant of a fleet that is over by then is nothing to the one that has its name %s",
  async (when) => {
    const { ledger, keepers } = await parts(8);
    const [home, giver] = keepers as [Keeper, Keeper];
    const portion = { ...NOTHING, gpus: 4, perHour: "12" };
    await giver.ledger.decide(giver.account, (draft) => {
      take(draft, "web@c", { to: "web@b", sequence: 1, amount: portion });
      give(draft, "web@b", { to: "web", amount: portion }, contextOf(giver));
    });
    const renamed = (draft: Draft): void => {
      const row = draft.fleets.get("web");
      if (row) draft.putFleet({ ...row, source: "stack:other#1" });
    };
    if (when === "before it is read") await ledger.decide(home.account, renamed);
    const decide = ledger.decide.bind(ledger);
    ledger.decide = async (account, decision) => {
      await decide(home.account, renamed);
      return decide(account, decision);
    };
    await movePortions(giver, ledger);
    const row = (await ledger.read(home.account)).fleets.find(({ name }) => name === "web");
    expect(row?.part?.net).toEqual(NOTHING);
  },
);
