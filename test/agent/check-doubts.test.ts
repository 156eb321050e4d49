import { expect, test } from "vitest";
import { checkDoubts } from "../../agent/fleet/phase/check-doubts.ts";
import { type WishInput, wishSchema } from "../../agent/fleet/wish/wish.ts";
import { preview } from "../../agent/index.ts";
import { H100 } from "../support/stage.ts";
import { dialectText, visit, world } from "./doctor-support.ts";
import { candidate, onStage } from "./on-stage.ts";

const NOW = Date.parse("2026-07-01T12:00:00Z");
const DETAILS = { host: "open", password: "secret" } as const;

function doubts(
  wish: Partial<WishInput>,
  abilities: Parameters<typeof checkDoubts>[1]["wire"]["abilities"] = { details: DETAILS },
) {
  const whole = wishSchema.parse({ gpus: 8, select: {}, ...wish });
  return checkDoubts(whole, { now: { wall: NOW }, wire: { abilities } });
}

const command: [string] = ["./it.sh"];
const PARTS: readonly [string, (address: string) => Partial<WishInput>, string][] = [
  ["setup", (address) => ({ setup: { command, address } }), "no machine is ever set up"],
  ["ready", (address) => ({ ready: { tcp: 22, address } }), "no machine is ever ready"],
  ["health", (address) => ({ health: { tcp: 22, address } }), "no machine is asked"],
  ["idle", (address) => ({ idle: { command, for: "30m", address } }), "none is ever idle"],
  ["beforeStop", (address) => ({ beforeStop: { command, address } }), "stopped without it"],
];

test.each(PARTS)(
  "the address of %s may be neither secret nor unknown to the wire profile",
  (part, wish, what) => {
    expect(doubts(wish("host"))).toEqual([]);
    for (const [address, is] of [
      ["password", "is secret by the wire profile"],
      ["ip", "is not in the wire profile"],
      ["constructor", "is not in the wire profile"],
    ] as const)
      expect(doubts(wish(address))).toEqual([
        {
          key: `${part}.address`,
          why: expect.stringMatching(new RegExp(`"${address}" ${is}.*${what}`)),
          remedy: expect.stringContaining(`deployments.fields.connection.${address}`),
        },
      ]);
    // Nobody knows what is mapped.
    expect(doubts(wish("password"), {})).toEqual([]);
  },
);

test("whoever has the address of ready is told of by its own name, and what needs none is not", () => {
  const ready = { tcp: 22, address: "password" };
  expect(doubts({ ready, health: { gpud: 15132 } }).map(({ key }) => key)).toEqual([
    "ready.address",
    "health",
  ]);
  expect(doubts({ health: { command }, setup: { command }, beforeStop: { command } })).toEqual([]);
});

test.each<[string, Partial<WishInput>]>([
  ["setup.within", { setup: { command, within: "1h" } }],
  ["ready.within", { ready: { address: "host", tcp: 22, within: "1h" } }],
  ["health.bad", { health: { command, bad: "1h" } }],
  ["idle.for", { idle: { command, for: "1h" } }],
])("%s may not be longer than what until leaves", (key, wish) => {
  const until = (minutes: number): string => new Date(NOW + minutes * 60_000).toISOString();
  expect(doubts(wish)).toEqual([]);
  expect(doubts({ ...wish, until: until(61) })).toEqual([]);
  expect(doubts({ ...wish, until: until(60) })).toMatchObject([
    {
      key,
      why: expect.stringContaining("it is 1h, and until"),
      remedy: expect.stringContaining("later until"),
    },
  ]);
  // The fleet is drained so much earlier.
  const saving = { ...wish, beforeStop: { command, within: "10m" } };
  expect(doubts({ ...saving, until: until(71) })).toEqual([]);
  expect(doubts({ ...saving, until: until(70) })).toMatchObject([
    { why: expect.stringContaining("leaves 1h") },
  ]);
  // What is over already is told otherwise.
  expect(doubts({ ...wish, until: until(-1) })).toEqual([]);
});

test("the doctor names them in the fleet's lines, as warnings", async () => {
  const { clock, simulator } = await world("plain", "no machines");
  const profile = dialectText("plain").replace(/^( +host: )(\/\S+)$/m, "$1{ pointer: $2, secret: true }");
  const until = new Date(clock.now() + 5 * 60_000).toISOString();
  const fleets = { f: { gpus: 8, select: {}, until, health: { tcp: 22, address: "host" } } };
  const { check } = await visit({ clock, transport: simulator.transport, profile, fleets });
  expect(check("fleet.f.health.address")).toMatchObject({
    level: "warning",
    says: expect.stringContaining("is secret"),
  });
  expect(check("fleet.f.health.bad")).toMatchObject({
    level: "warning",
    says: expect.stringContaining("leaves 5m"),
  });
});

test("a plan names them beside what it waits for", async () => {
  const on = await onStage();
  const wish = wishSchema.parse({
    gpus: 8,
    candidates: [candidate(H100)],
    ready: { address: "nowhere", tcp: 22 },
  });
  const source = "file:/fleet.yaml";
  const declared = { source, fleets: [{ name: "training", source, wish }] };
  const looking = preview(on.keeper, declared, new AbortController().signal);
  await on.clock.run(looking);
  const { plans } = await looking;
  expect(plans).toMatchObject([
    { reasons: [expect.stringContaining('ready.address: the connection detail "nowhere"')] },
  ]);
});
