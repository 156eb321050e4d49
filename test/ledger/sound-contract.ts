import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { haltsOf, resume } from "../../launch/people/operator.ts";
import type { Draft } from "../../ledger/draft.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import type { DeploymentRow, FleetRow, IntentRow, Portion } from "../../ledger/rows.ts";
import { deploymentAsFound, intentAsFound } from "../support/as-found.ts";
import { ANNE, AT, DEPLOYMENT, intentOf } from "./contract.ts";

const NET: Portion = { gpus: -2, overshoot: 0, perHour: "-4", perDay: "0", total: "0", churn: "0" };
const GIVEN: Portion = { ...NET, gpus: 2, perHour: "4" };
const FLEET: FleetRow = {
  ...{
    name: "web",
    source: "file:fleet.yaml",
    born: true,
    birth: null,
    removed: false,
    paused: false,
    pace: 1,
    reasons: [],
  },
  wish: { gpus: 8, budget: { perHour: "40", perGpuHour: "3" } },
  part: {
    ...{ of: "web", whole: { gpus: 8 }, net: NET, given: [{ to: "web@b", sequence: 5, amount: GIVEN }] },
    ...{ sent: { "web@b": 5 }, taken: { "web@b": 3 } },
  },
};
const OPEN = intentOf("open", { group: "one", baseline: 1 });
const MADE = intentOf("i1", {
  ...{ group: "two", state: "claimed", deployment: "m1", resolved: AT },
  answer: { at: AT, id: "m1", reason: "accepted" },
});
const NOBODYS: DeploymentRow = {
  ...{ ...DEPLOYMENT, id: "m2", sequence: 2, marker: null, lastSeen: AT },
  ...{ claim: null, owner: null, intent: null, claimed: null },
};

const fresh = (more: Partial<IntentRow> = {}): IntentRow => intentOf("new", { group: "new", ...more });
const put = (draft: Draft, more: Partial<IntentRow>) =>
  draft.putIntent({ ...draft.intents.get("open")!, ...more });
const part = (draft: Draft, more: Partial<NonNullable<FleetRow["part"]>>) =>
  draft.putFleet({ ...FLEET, part: { ...FLEET.part!, ...more } });
const claimed = (claim: "certain" | "inferred", intent: string): DeploymentRow => ({
  ...{ ...NOBODYS, claim, intent, owner: "fleet:web", claimed: AT },
});
const inSlot = (draft: Draft, more: Partial<IntentRow> = {}) =>
  draft.moveIntent("admit", fresh({ owner: "slot:s1", ...more }));

/** By rule: decisions that break it, in words. */
const BROKEN: readonly (readonly [string, string, (draft: Draft) => unknown])[] = [
  ["lifecycle", "a launch is opened without a move", (draft) => draft.putIntent(fresh())],
  ["sentOnce", "what was sent is written anew", (draft) => put(draft, { offer: "another" })],
  ["baseline", "a baseline falls", (draft) => put(draft, { baseline: 0 })],
  [
    "baseline",
    "a baseline moves once the launch was answered",
    (draft) => {
      put(draft, { answer: { at: AT, id: null, reason: "no answer" } });
      put(draft, { baseline: 2 });
    },
  ],
  ["baseline", "the newest number falls", (draft) => draft.putAccount({ ...draft.account, sequence: 1 })],
  [
    "baseline",
    "a machine is newer than the newest",
    (draft) => draft.moveDeployment("take", { ...claimed("certain", "i1"), intent: null, sequence: 3 }),
  ],
  ["price", "a price falls", (draft) => put(draft, { pricePerHour: "15.9999" })],
  ["price", "a price is forgotten", (draft) => put(draft, { pricePerHour: null })],
  [
    "certainty",
    "a machine that its answer named is let go",
    (draft) =>
      draft.moveDeployment("letGo", {
        ...DEPLOYMENT,
        lastSeen: AT,
        claim: null,
        owner: null,
        intent: null,
        claimed: null,
      }),
  ],
  [
    "certainty",
    "it only seems ours all at once",
    (draft) => draft.moveDeployment("doubt", { ...DEPLOYMENT, lastSeen: AT, claim: "inferred" }),
  ],
  [
    "onlyOurs",
    "a machine of nobody is stopped",
    (draft) =>
      draft.putDeployment({
        ...NOBODYS,
        stop: { asked: AT, why: "", attempts: 0, attempted: null, accepted: false, error: null },
      }),
  ],
  [
    "oneOpen",
    "a second launch of a group is opened",
    (draft) => draft.moveIntent("admit", fresh({ group: "one" })),
  ],
  [
    "oneMachine",
    "a launch that is open has a machine",
    (draft) => draft.moveDeployment("infer", claimed("inferred", "open")),
  ],
  [
    "oneMachine",
    "a launch has a second machine that nothing marks",
    (draft) => draft.moveDeployment("claim", claimed("certain", "i1")),
  ],
  [
    "oneMachine",
    "a launch has made what another one did",
    (draft) => draft.moveIntent("claim", { ...OPEN, state: "claimed", deployment: "m1", resolved: AT }),
  ],
  [
    "oneMachine",
    "a machine is of a launch that is not there",
    (draft) => draft.moveDeployment("infer", claimed("inferred", "none")),
  ],
  [
    "oneInSlot",
    "a slot has two open launches",
    (draft) => {
      inSlot(draft);
      inSlot(draft, { id: "second", group: "second" });
    },
  ],
  [
    "oneInSlot",
    "a slot that has a machine gets another one",
    (draft) => {
      draft.moveDeployment("take", { ...claimed("certain", "i1"), intent: null, owner: "slot:s1" });
      inSlot(draft);
    },
  ],
  [
    "budget",
    "a launch within a limit has no price",
    (draft) => draft.moveIntent("admit", fresh({ pricePerHour: null })),
  ],
  [
    "budget",
    "a GPU costs more than one may",
    (draft) => draft.moveIntent("admit", fresh({ pricePerHour: "25" })),
  ],
  [
    "budget",
    "all cost more than they may an hour",
    (draft) => draft.moveIntent("admit", fresh({ pricePerHour: "24" })),
  ],
  ["shares", "a share grows from nothing", (draft) => part(draft, { net: { ...NET, gpus: 0 } })],
  [
    "shares",
    "what is given stays",
    (draft) =>
      part(draft, {
        given: [...FLEET.part!.given, { to: "web@b", sequence: 6, amount: GIVEN }],
        sent: { "web@b": 6 },
      }),
  ],
  [
    "shares",
    "a grant has an old number",
    (draft) =>
      part(draft, { given: [{ to: "web@b", sequence: 4, amount: { ...NET, gpus: 0, perHour: "0" } }] }),
  ],
  ["shares", "a grant that was taken is forgotten", (draft) => part(draft, { taken: {} })],
  [
    "shares",
    "what is taken lowers the share",
    (draft) => part(draft, { taken: { "web@b": 4 }, net: { ...NET, gpus: -3 } }),
  ],
];

/** Whatever a ledger stores in: it stores no decision that breaks a rule of money, halts the account and says so once. */
export function soundContract(name: string, open: () => Ledger | Promise<Ledger>): void {
  describe(name, () => {
    let ledger: Ledger;
    let key: string;
    beforeEach(async () => {
      ledger = await open();
      key = await ledger.openAccount({ baseUrl: "u", account: ANNE, tenure: "shared" });
      await ledger.decide(key, (draft) => {
        draft.putAccount({ ...draft.account, sequence: 2 });
        for (const intent of [OPEN, MADE]) intentAsFound(draft, intent);
        for (const row of [{ ...DEPLOYMENT, lastSeen: AT }, NOBODYS]) deploymentAsFound(draft, row);
        draft.putFleet(FLEET);
        draft.putSlot({ id: "s1", name: "db", created: AT, closing: false });
      });
    });
    afterEach(() => ledger.close());

    const rowsOf = async () => {
      const { intents, deployments, fleets } = await ledger.read(key);
      return { intents, deployments, fleets };
    };

    it.each(BROKEN)("%s: %s", async (rule, _, decision) => {
      const before = await rowsOf();
      await expect(ledger.decide(key, decision)).rejects.toMatchObject({ code: "UNSOUND" });
      expect(await rowsOf()).toEqual(before);
      const { account } = await ledger.read(key);
      expect(account.unsound).toMatchObject({ rule });
      expect(haltsOf(account)).toEqual([expect.stringContaining(`against the rule ${rule}`)]);
      expect(await ledger.events(key, 9)).toMatchObject([
        { kind: "halted", text: expect.stringContaining("fleetkeeper resume") },
      ]);
    });

    it("keeps what it would have stored, and tells it once until a person has looked", async () => {
      const broken = (draft: Draft) => {
        draft.putDeployment({ ...NOBODYS, connection: { password: "s3cret" } });
        draft.moveIntent("admit", fresh({ group: "one", parameters: { token: "s3cret" } }));
      };
      for (let times = 0; times < 2; times++)
        await expect(ledger.decide(key, broken)).rejects.toThrow("oneOpen");
      const { account } = await ledger.read(key);
      expect(account.unsound?.changes).toMatchObject([
        { table: "deployment", id: "m2", claim: null },
        { table: "intent", id: "new", group: "one", state: "open" },
      ]);
      expect(JSON.stringify(account)).not.toContain("s3cret");
      expect(await ledger.events(key, 9)).toHaveLength(1);
      const context = { now: AT, settings: {} } as Parameters<typeof resume>[1];
      expect(await ledger.decide(key, (draft) => resume(draft, context))).toMatchObject({ unsound: true });
      expect(haltsOf((await ledger.read(key)).account)).toEqual([]);
      await expect(ledger.decide(key, broken)).rejects.toThrow("oneOpen");
      expect(haltsOf((await ledger.read(key)).account)).toHaveLength(1);
    });

    it("stores another fleet's share under the name of one that is over", async () => {
      const none = { ...NET, gpus: 0, perHour: "0" };
      await ledger.decide(key, (draft) => draft.putFleet({ ...FLEET, removed: true }));
      await ledger.decide(key, (draft) => part(draft, { net: none, given: [], sent: {}, taken: {} }));
      expect((await ledger.read(key)).fleets).toMatchObject([{ removed: false, part: { net: none } }]);
    });

    it("stores what breaks none: a machine of a launch, its end, and what is given", async () => {
      await ledger.decide(key, (draft) => {
        draft.moveDeployment("infer", claimed("inferred", "open"));
        draft.moveIntent("claim", { ...OPEN, state: "claimed", deployment: "m2", resolved: AT });
        draft.moveIntent("admit", fresh({ pricePerHour: "8", group: "one" }));
        draft.putDeployment({ ...draft.deployments.get("m1")!, end: "interrupted", ended: AT });
        const net = { ...NET, gpus: -4, perHour: "-8" };
        part(draft, {
          net,
          given: [{ to: "web@c", sequence: 1, amount: GIVEN }],
          sent: { "web@b": 5, "web@c": 1 },
        });
      });
      expect((await ledger.read(key)).account.unsound).toBeUndefined();
    });
  });
}
