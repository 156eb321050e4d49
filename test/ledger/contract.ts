import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Draft } from "../../ledger/draft.ts";
import type { Instant } from "../../ledger/instant.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { DeploymentRow, EventRow, FleetRow, IntentRow, SlotRow } from "../../ledger/rows.ts";
import type { Account } from "../../service/contract/contract.ts";
import { deploymentAsFound, intentAsFound } from "../support/as-found.ts";

export const AT: Instant = { wall: 1_700_000_000_000, mono: 5, boot: "boot" };
export const ANNE: Account = { id: "anne", email: "anne@example.com", display_name: "", created_at: "" };
const BOB: Account = { ...ANNE, id: "bob" };
const URL_A = "https://a.example.com";
const URL_B = "https://b.example.com";

export function intentOf(id: string, more: Partial<IntentRow> = {}): IntentRow {
  return {
    id,
    owner: "fleet:web",
    offer: "h100-8",
    provider: "north",
    location: "oslo",
    gpus: 8,
    pricePerHour: "16.0000",
    parameters: { image: "ubuntu", ports: [22, null, { tcp: true }] },
    marker: `fk-ledger-${id}`,
    profile: "profile-1",
    group: "account",
    baseline: 0,
    state: "open",
    sender: { boot: "boot", pid: 1, started: "0" },
    stamped: AT,
    timeout: 120_000,
    answer: null,
    settle: null,
    resolved: null,
    deployment: null,
    detail: "",
    ...more,
  };
}

export const DEPLOYMENT: DeploymentRow = {
  id: "m1",
  sequence: 1,
  firstSeen: AT,
  lastSeen: null,
  status: "running",
  statusSince: AT,
  offer: null,
  provider: null,
  location: null,
  marker: null,
  gpus: null,
  pricePerHour: "0.1000",
  createdAt: null,
  failureCode: null,
  failureReason: "näin ”kävi”\u0000\n",
  suggestedAction: null,
  stopReason: null,
  connection: { ssh: "root@10.0.0.1" },
  claim: "certain",
  owner: "fleet:web",
  intent: "i1",
  claimed: AT,
  stop: null,
  unnamedLists: 0,
  stoppingSeen: false,
  missing: null,
  end: null,
  ended: null,
};
const SLOT: SlotRow = { id: "s1", name: "web", created: AT, closing: false };
const FLEET: FleetRow = {
  name: "web",
  source: "file:fleet.yaml",
  wish: { gpus: 8 },
  born: false,
  birth: null,
  removed: false,
  paused: false,
  pace: 1,
  reasons: [],
};

function eventOf(text: string): EventRow {
  return { at: AT.wall, kind: "launch", owner: null, deployment: null, text };
}

/** What every `Ledger` must keep, whatever it stores in. `open` makes an empty one. */
export function ledgerContract(name: string, open: () => Ledger | Promise<Ledger>): void {
  describe(name, () => {
    let ledger: Ledger;
    let anne: string;
    beforeEach(async () => {
      ledger = await open();
      anne = await ledger.openAccount({ baseUrl: URL_A, account: ANNE });
    });
    afterEach(() => ledger.close());

    it("keeps one row an account of one service, and what is stated of it", async () => {
      expect(await ledger.accounts()).toMatchObject([{ key: anne, tenure: "unstated", sequence: 0 }]);
      expect(await ledger.openAccount({ baseUrl: URL_A, account: ANNE, tenure: "shared" })).toBe(anne);
      expect(
        await ledger.openAccount({ baseUrl: URL_A, account: { ...ANNE, email: "new@example.com" } }),
      ).toBe(anne);
      expect(await ledger.accounts()).toMatchObject([{ tenure: "shared", email: "new@example.com" }]);
    });

    it("keeps what was said of who else launches, and tells who contradicts it", async () => {
      const said = { baseUrl: URL_A, account: ANNE, tenureBy: "the fleet file" } as const;
      await ledger.openAccount({ ...said, tenure: "shared" });
      await ledger.openAccount({ ...said, tenure: "shared", tenureBy: "--account" });
      await expect(
        ledger.openAccount({ ...said, tenure: "exclusive", tenureBy: "FLEETKEEPER_ACCOUNT" }),
      ).rejects.toThrow(/FLEETKEEPER_ACCOUNT says exclusive, but .* as shared \(by the fleet file\)/);
      expect(await ledger.accounts()).toMatchObject([{ tenure: "shared", tenureBy: "the fleet file" }]);
      const others = [
        await ledger.openAccount({ baseUrl: URL_A, account: BOB }),
        await ledger.openAccount({ baseUrl: URL_B, account: ANNE }),
      ];
      expect(new Set([anne, ...others]).size).toBe(3);
    });

    it("counts one currency: another one halts once a machine was seen, and says what to do", async () => {
      const open = (currency?: string) => ledger.openAccount({ baseUrl: URL_A, account: ANNE, currency });
      await open("EUR");
      const amount = { amount: "7.0000", begun: AT };
      await ledger.decide(anne, (draft) => draft.putAccount({ ...draft.account, balance: amount }));
      await open("CHF");
      expect(await ledger.accounts()).toMatchObject([{ currency: "CHF", balance: null }]);
      await ledger.decide(anne, (draft) => draft.putAccount({ ...draft.account, sequence: 1 }));
      await expect(open()).rejects.toThrow(
        /currency: the profile says USD, and the ledger .* counts CHF for .*: correct the profile, or use a ledger of its own/,
      );
      const billing = { unit: 1000, minimum: 60_000, reserved: 0 };
      await ledger.openAccount({ baseUrl: URL_A, account: ANNE, currency: "CHF", billing });
      expect(await ledger.accounts()).toMatchObject([{ currency: "CHF", billing }]);
      await open("CHF");
      expect((await ledger.accounts())[0]).not.toHaveProperty("billing");
    });

    it("gives every row back as it was put", async () => {
      const intent = intentOf("i1");
      const cooldown = { offer: "o", provider: "p", location: "l", since: AT, seconds: 45 };
      await ledger.decide(anne, (draft) => {
        intentAsFound(draft, intent);
        deploymentAsFound(draft, DEPLOYMENT);
        draft.putSlot(SLOT);
        draft.putFleet(FLEET);
        draft.putCooldown(cooldown);
        draft.putAccount({
          ...draft.account,
          sequence: 7,
          list: AT,
          balance: { amount: "12.3400", begun: AT },
        });
      });
      const rows = await ledger.read(anne);
      expect(rows).toMatchObject({ account: { sequence: 7, list: AT, balance: { amount: "12.3400" } } });
      expect(rows.intents).toEqual([intent]);
      expect(rows.deployments).toEqual([DEPLOYMENT]);
      expect(rows.slots).toEqual([SLOT]);
      expect(rows.fleets).toEqual([FLEET]);
      expect(rows.cooldowns).toEqual([cooldown]);
    });

    it("puts a row in the place of the one with its key", async () => {
      await ledger.decide(anne, (draft) => intentAsFound(draft, intentOf("i1")));
      await ledger.decide(anne, (draft) => intentAsFound(draft, intentOf("i1", { state: "absent" })));
      await ledger.decide(anne, (draft) => deploymentAsFound(draft, DEPLOYMENT));
      await ledger.decide(anne, (draft) => deploymentAsFound(draft, { ...DEPLOYMENT, end: "gone" }));
      const { intents, deployments } = await ledger.read(anne);
      expect(intents.map(({ state }) => state)).toEqual(["absent"]);
      expect(deployments.map(({ end }) => end)).toEqual(["gone"]);
    });

    it("shows intents in the order they were written, also after later changes", async () => {
      for (const id of ["b", "a", "c"]) {
        await ledger.decide(anne, (draft) => intentAsFound(draft, intentOf(id, { state: "absent" })));
      }
      await ledger.decide(anne, (draft) => intentAsFound(draft, intentOf("b", { state: "claimed" })));
      expect((await ledger.read(anne)).intents.map(({ id }) => id)).toEqual(["b", "a", "c"]);
    });

    it("forgets intents, and what was told of them if that is said, but none that is open or another account's", async () => {
      const intents = ["i1", "i2", "i3"].map((id) => intentOf(id, { state: "rejected", group: id }));
      const told = (id: string): EventRow => ({ ...eventOf(id), intent: id });
      await ledger.decide(anne, (draft) => {
        for (const row of intents) intentAsFound(draft, row);
        intentAsFound(draft, intentOf("i4", { group: "i4" }));
        for (const id of ["i1", "i2", "i3", "i4"]) draft.note(told(id));
        draft.note(eventOf("of no launch"));
      });
      const bob = await ledger.openAccount({ baseUrl: URL_A, account: BOB });
      await ledger.decide(bob, (draft) => {
        intentAsFound(draft, intentOf("b1", { state: "rejected" }));
        draft.note(told("b1"));
      });
      await ledger.decide(anne, (draft) => {
        // Past the rules of the draft: the store keeps what is open whatever is asked of it.
        draft.changes.push({ table: "forgotten", intents: ["i1", "b1"], events: true });
        draft.changes.push({ table: "forgotten", intents: ["i2", "i4"], events: false });
      });
      const { intents: left } = await ledger.read(anne);
      expect(left.map(({ id }) => id)).toEqual(["i3", "i4"]);
      expect((await ledger.read(bob)).intents).toHaveLength(1);
      await ledger.decide(anne, (draft) => draft.note(told("i5")));
      const events = await ledger.events(anne, 100);
      expect(events.map(({ text }) => text)).toEqual(["i5", "of no launch", "i4", "i3", "i2"]);
      expect(new Set(events.map(({ sequence }) => sequence)).size).toBe(5);
      expect(await ledger.events(bob, 100)).toHaveLength(1);
    });

    it("returns what a decision returns, and stores nothing of one that throws", async () => {
      expect(await ledger.decide(anne, () => 42)).toBe(42);
      const failing = ledger.decide(anne, (draft) => {
        intentAsFound(draft, intentOf("i1"));
        draft.note(eventOf("written"));
        throw new RangeError("no");
      });
      await expect(failing).rejects.toThrow(RangeError);
      expect((await ledger.read(anne)).intents).toEqual([]);
      expect(await ledger.events(anne, 9)).toEqual([]);
    });

    it("has one open intent a group, whatever decisions say: the second is a LEDGER error, and nothing of it is stored", async () => {
      await ledger.decide(anne, (draft) => intentAsFound(draft, intentOf("i1")));
      const second = ledger.decide(anne, (draft) => {
        draft.note(eventOf("written"));
        intentAsFound(draft, intentOf("i2"));
      });
      await expect(second).rejects.toMatchObject({ code: "LEDGER" });
      expect((await ledger.read(anne)).intents.map(({ id }) => id)).toEqual(["i1"]);
      expect(await ledger.events(anne, 9)).toEqual([]);
    });

    it("control: another group, another account, or a resolved one, may be beside it", async () => {
      const bob = await ledger.openAccount({ baseUrl: URL_A, account: BOB });
      await ledger.decide(anne, (draft) => intentAsFound(draft, intentOf("i1")));
      await ledger.decide(anne, (draft) => intentAsFound(draft, intentOf("i2", { group: "marker:i2" })));
      await ledger.decide(anne, (draft) => intentAsFound(draft, intentOf("i3", { state: "absent" })));
      await ledger.decide(bob, (draft) => intentAsFound(draft, intentOf("i4")));
      await ledger.decide(anne, (draft) => {
        intentAsFound(draft, intentOf("i1", { state: "claimed" }));
        intentAsFound(draft, intentOf("i5"));
      });
      expect((await ledger.read(anne)).intents).toHaveLength(4);
    });

    it("runs decisions one after the other: each sees what the one before stored", async () => {
      const add = (draft: Draft): void =>
        draft.putAccount({ ...draft.account, sequence: draft.account.sequence + 1 });
      await Promise.all(Array.from({ length: 20 }, () => ledger.decide(anne, add)));
      expect((await ledger.read(anne)).account.sequence).toBe(20);
    });

    it("shares cooldowns between the accounts of one base address only", async () => {
      const bob = await ledger.openAccount({ baseUrl: URL_A, account: BOB });
      const far = await ledger.openAccount({ baseUrl: URL_B, account: ANNE });
      const cooldown = { offer: "o", provider: "p", location: "l", since: AT, seconds: 45 };
      await ledger.decide(anne, (draft) => draft.putCooldown(cooldown));
      await ledger.decide(bob, (draft) => draft.putCooldown({ ...cooldown, seconds: 30 }));
      for (const account of [anne, bob])
        expect((await ledger.read(account)).cooldowns).toMatchObject([{ seconds: 30 }]);
      expect((await ledger.read(far)).cooldowns).toEqual([]);
    });

    it("gives a name to one account for good: under a second key nothing is stored", async () => {
      const bob = await ledger.openAccount({ baseUrl: URL_A, account: BOB });
      await ledger.decide(anne, (draft) => {
        draft.putSlot(SLOT);
        draft.putFleet(FLEET);
        intentAsFound(draft, intentOf("i1", { state: "claimed" }));
      });
      expect(await ledger.accountOfSlot("s1")).toBe(anne);
      expect(await ledger.accountOfFleet("web")).toBe(anne);
      expect(await ledger.accountOfSlot("s2")).toBeUndefined();
      for (const put of [
        (draft: Draft) => draft.putSlot(SLOT),
        (draft: Draft) => draft.putFleet(FLEET),
        (draft: Draft) => intentAsFound(draft, intentOf("i1", { state: "absent" })),
      ]) {
        await expect(ledger.decide<unknown>(bob, put)).rejects.toMatchObject({ code: "WRONG_ACCOUNT" });
      }
      expect((await ledger.read(anne)).intents).toMatchObject([{ state: "claimed" }]);
      expect((await ledger.read(bob)).slots).toEqual([]);
    });

    it("gives the newest events first, and only those after a number", async () => {
      const bob = await ledger.openAccount({ baseUrl: URL_A, account: BOB });
      for (const text of ["one", "two", "three"])
        await ledger.decide(anne, (draft) => draft.note(eventOf(text)));
      await ledger.decide(bob, (draft) => draft.note(eventOf("bob's")));
      const events = await ledger.events(anne, 2);
      expect(events.map(({ text }) => text)).toEqual(["three", "two"]);
      const newest = events[0]?.sequence ?? 0;
      await ledger.decide(anne, (draft) => draft.note(eventOf("four")));
      expect((await ledger.events(anne, 9, newest)).map(({ text }) => text)).toEqual(["four"]);
    });

    it("gives the newest events about a machine, a launch or an owner, and none that only quotes its name", async () => {
      const bob = await ledger.openAccount({ baseUrl: URL_A, account: BOB });
      const odd = 'm"1\\\u0000%_';
      const about = (text: string, more: Partial<EventRow>): EventRow => ({ ...eventOf(text), ...more });
      await ledger.decide(anne, (draft) => {
        draft.note(about("machine", { deployment: "m1" }));
        draft.note(about("launch", { intent: "i1" }));
        draft.note(about("both", { deployment: "m1", intent: "i1" }));
        draft.note(about("longer", { deployment: "m10", intent: "i10" }));
        draft.note(about('quotes "deployment":"m1"', { deployment: null }));
        draft.note(about("odd", { deployment: odd }));
        draft.note(about("owner", { owner: "fleet:night" }));
      });
      await ledger.decide(bob, (draft) => draft.note(about("bob's", { deployment: "m1" })));
      const texts = async (...[about_, limit = 9]: [Parameters<Ledger["eventsAbout"]>[1], number?]) =>
        (await ledger.eventsAbout(anne, about_, limit)).map(({ text }) => text);
      expect(await texts({ deployment: "m1", intent: "i1" })).toEqual(["both", "launch", "machine"]);
      expect(await texts({ deployment: "m1", intent: "i1" }, 2)).toEqual(["both", "launch"]);
      expect(await texts({ deployment: "m1" })).toEqual(["both", "machine"]);
      expect(await texts({ deployment: odd })).toEqual(["odd"]);
      expect(await texts({ owner: "fleet:night" })).toEqual(["owner"]);
      expect(await texts({})).toEqual([]);
    });

    it("throws LEDGER for an account that it does not have, and once it is closed", async () => {
      await expect(ledger.read("nobody")).rejects.toMatchObject({ code: "LEDGER" });
      ledger.close();
      await expect(ledger.decide(anne, () => 1)).rejects.toMatchObject({ code: "LEDGER" });
      ledger = await open();
    });
  });
}
