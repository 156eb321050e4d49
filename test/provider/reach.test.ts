import { expect, it } from "vitest";
import { declareFleet } from "../../agent/fleet/declare/fleets.ts";
import { parseWish } from "../../agent/fleet/wish/wish.ts";
import type { Actor } from "../../agent/orders/actor.ts";
import { makeToken, newTokenSecret } from "../../agent/orders/tokens.ts";
import type { Keeper } from "../../launch/index.ts";
import { MemoryLedger } from "../../ledger/memory/memory-ledger.ts";
import { whyNotReached } from "../../provider/runtime/host/reach.ts";
import { LaunchBench } from "../launch/bench.ts";

const wish = parseWish({ gpus: 0, candidates: [{ offer: "o", provider: "p", location: "l", gpus: 8 }] });
const token: Actor = { name: "token:ci", may: "declare", token: "t1" };

/** Two services of one agent, and a token that the first one alone knows. */
function services() {
  const ledger = new MemoryLedger();
  const account = { id: "acc2", email: "b@b.c", display_name: "B", created_at: "2026-01-01T00:00:00Z" };
  const [north, south] = [new LaunchBench({ ledger }), new LaunchBench({ ledger, account })];
  for (const [on, name] of [
    [north, "north"],
    [south, "south"],
  ] as const)
    on.decide((draft) => draft.putAccount({ ...draft.account, service: { name, file: "fleet.yaml" } }));
  const known = {
    id: "t1",
    name: "ci",
    may: "declare",
    lasts: 86_400_000,
    secret: newTokenSecret(),
  } as const;
  const learn = (on: LaunchBench) => on.decide((draft, context) => makeToken(draft, known, context));
  learn(north);
  const keeper = { ledger, account: north.account, clock: { now: () => north.now } } as unknown as Keeper;
  const ask = (services: unknown) =>
    whyNotReached(
      token,
      { kind: "wish", method: "create", args: [{ name: "web", source: "stack:a/b/web#1", services }] },
      keeper,
    );
  const take = (id: string) =>
    whyNotReached(token, { kind: "fleet", method: "delete", args: [id, {}] }, keeper);
  const has = (on: LaunchBench, name: string) =>
    on.decide(
      (draft, context) => void declareFleet(draft, { name, source: "stack:a/b/web#1", wish }, context),
    );
  return { ask, take, has, north, south, learnsSouth: () => learn(south) };
}

it("a token rents in no service that does not know it, through a fleet of several", async () => {
  const { ask, learnsSouth } = services();
  expect(await ask(undefined)).toBeUndefined();
  expect(await ask(["north"])).toBeUndefined();
  for (const among of ["all", ["north", "south"]])
    expect((await ask(among))?.text).toContain("token:ci is no token of the service south");
  learnsSouth();
  expect(await ask("all")).toBeUndefined();
});

it("a token takes no fleet out of a service that does not know it", async () => {
  const { take, has, north, south, learnsSouth } = services();
  has(north, "web-north");
  expect(await take("a/b/web#1")).toBeUndefined();
  has(south, "web-south");
  expect((await take("a/b/web#1"))?.text).toContain("token:ci is no token of the service south");
  expect(await take("a/b/web#2")).toBeUndefined();
  learnsSouth();
  expect(await take("a/b/web#1")).toBeUndefined();
});
