import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Draft } from "../../ledger/draft.ts";
import type { ClaimMove, ClaimState, IntentMove } from "../../ledger/lifecycle.ts";
import { CLAIM_MOVES, CLAIM_NEEDS, type FLEET_MOVES, INTENT_MOVES } from "../../ledger/lifecycle.ts";
import type { DeploymentRow, FleetRow, IntentRow, IntentState } from "../../ledger/rows.ts";
import { tablesOf } from "../../ledger/tables.ts";
import { AT, DEPLOYMENT, intentOf } from "./contract.ts";

/** Written out once more, so that a table that is changed by mistake is noticed: one line a move, from > to. */
const INTENT: Readonly<Record<IntentMove, string>> = {
  admit: "new > open",
  giveUp: "open > notSent",
  refuse: "open claimed absent disputed > rejected",
  notSend: "open claimed absent disputed > notSent",
  confirm: "open claimed absent disputed rejected notSent > claimed",
  claim: "open claimed absent disputed rejected notSent > claimed",
  callAbsent: "open claimed > absent",
  dispute: "open claimed > disputed",
  lookAgain: "claimed disputed > open absent",
  adopt: "open disputed > claimed",
};
const CLAIM: Readonly<Record<ClaimMove, string>> = {
  claim: "none inferred disputed > certain",
  infer: "none > inferred",
  dispute: "none inferred > disputed",
  letGo: "inferred disputed certain > none",
  take: "none disputed > certain inferred",
  adopt: "none inferred certain disputed foreign > certain",
  disown: "none inferred certain disputed foreign > foreign",
  passOn: "inferred certain disputed > inferred certain disputed",
  doubt: "certain > inferred",
  putAside: "new > inferred certain disputed",
  beginAnew: "inferred certain disputed > none",
};

const STATES: readonly IntentState[] = ["open", "claimed", "rejected", "notSent", "absent", "disputed"];
const CLAIMS = Object.keys(CLAIM_NEEDS) as readonly ClaimState[];

function isLegal(text: string, from: string, to: string): boolean {
  const [before = [], after = []] = text.split(" > ").map((side) => side.split(" "));
  return before.includes(from) && after.includes(to);
}

const ACCOUNT = {
  ...{ key: "a", baseUrl: "u", accountId: "a", email: "", sequence: 1, profiles: {} },
  tenure: "shared" as const,
  ...{ list: null, doubt: null, balance: null, agent: null },
} as const;

function draftWith(intents: readonly IntentRow[], deployments: readonly DeploymentRow[] = []): Draft {
  return new Draft(
    tablesOf({ account: ACCOUNT, intents, deployments, slots: [], fleets: [], cooldowns: [] }),
  );
}

function intentIn(state: string): readonly IntentRow[] {
  return state === "new" ? [] : [intentOf("i1", { state: state as IntentState })];
}

/** With what such a row needs. */
function machine(claim: ClaimState): DeploymentRow {
  const { owner, intent, claimed } = CLAIM_NEEDS[claim];
  return {
    ...DEPLOYMENT,
    claim: claim === "none" ? null : claim,
    owner: owner === "set" ? "fleet:web" : null,
    intent: intent === "set" ? "i1" : null,
    claimed: claimed === "set" ? AT : null,
  };
}

const ILLEGAL = (row: string, from: string, to: string): object => ({
  code: "UNSOUND",
  message: expect.stringMatching(new RegExp(`^${row} would go from ${from}\\b.* to ${to}\\b`)),
});

/** What was thrown, by a decision that stores nothing then. */
function thrownBy(draft: Draft, decision: () => unknown): unknown {
  try {
    decision();
  } catch (error) {
    expect(draft.changes).toEqual([]);
    return error;
  }
  expect(draft.changes).toHaveLength(1);
  return undefined;
}

describe.each(Object.keys(INTENT_MOVES) as IntentMove[])("a launch, by %s", (move) => {
  it.each(["new", ...STATES].flatMap((from) => STATES.map((to) => [from, to] as const)))(
    "from %s to %s",
    (from, to) => {
      const draft = draftWith(intentIn(from));
      const thrown = thrownBy(draft, () => draft.moveIntent(move, intentOf("i1", { state: to })));
      if (isLegal(INTENT[move], from, to)) expect(thrown).toBeUndefined();
      else expect(thrown).toMatchObject(ILLEGAL("launch i1", from, to));
    },
  );
});

it.each(["new", ...STATES].flatMap((from) => STATES.map((to) => [from, to] as const)))(
  "a launch that is put without a move stays what it is: from %s to %s",
  (from, to) => {
    const draft = draftWith(intentIn(from));
    const thrown = thrownBy(draft, () => draft.putIntent(intentOf("i1", { state: to, detail: "new" })));
    if (from === to) expect(thrown).toBeUndefined();
    else expect(thrown).toMatchObject(ILLEGAL("launch i1", from, to));
  },
);

it.each(STATES)("a launch that is %s is deleted only if it made nothing", (state) => {
  const draft = draftWith(intentIn(state));
  const thrown = thrownBy(draft, () => draft.forgetIntents(["i1"], { events: false }));
  if (["rejected", "notSent"].includes(state)) expect(thrown).toBeUndefined();
  else expect(thrown).toMatchObject(ILLEGAL("launch i1", state, "deleted"));
});

describe.each(Object.keys(CLAIM_MOVES) as ClaimMove[])("a deployment, by %s", (move) => {
  it.each(["new", ...CLAIMS].flatMap((from) => CLAIMS.map((to) => [from, to] as const)))(
    "from %s to %s",
    (from, to) => {
      const draft = draftWith([], from === "new" ? [] : [machine(from as ClaimState)]);
      const thrown = thrownBy(draft, () => draft.moveDeployment(move, machine(to)));
      // The table says which claims may follow. What is certain is let go only for a reason: ledger/kept.ts.
      const isLess = from === "certain" && to !== "certain" && to !== "foreign";
      if (isLegal(CLAIM[move], from, to) && isLess)
        expect(thrown).toMatchObject({ message: expect.stringContaining("the rule certainty") });
      else if (isLegal(CLAIM[move], from, to)) expect(thrown).toBeUndefined();
      else expect(thrown).toMatchObject(ILLEGAL("deployment m1", from, to));
    },
  );
});

it.each(["new", ...CLAIMS].flatMap((from) => CLAIMS.map((to) => [from, to] as const)))(
  "a deployment that is put without a move stays whose it is: from %s to %s",
  (from, to) => {
    const draft = draftWith([], from === "new" ? [] : [machine(from as ClaimState)]);
    const thrown = thrownBy(draft, () => draft.putDeployment({ ...machine(to), status: "stopping" }));
    if (from === to || (from === "new" && to === "none")) expect(thrown).toBeUndefined();
    else expect(thrown).toMatchObject(ILLEGAL("deployment m1", from, to));
  },
);

describe("what goes with a claim", () => {
  const wrong: Readonly<Record<ClaimState, readonly Partial<DeploymentRow>[]>> = {
    none: [{ owner: "fleet:web" }, { intent: "i1" }, { claimed: AT }],
    inferred: [{ owner: null }, { claimed: null }],
    certain: [{ owner: null }, { claimed: null }],
    disputed: [{ owner: null }, { intent: null }, { claimed: null }],
    foreign: [{ owner: "fleet:web" }],
  };
  const MOVE: Readonly<Record<ClaimState, readonly [ClaimMove, ClaimState]>> = {
    none: ["letGo", "inferred"],
    inferred: ["infer", "none"],
    certain: ["claim", "none"],
    disputed: ["dispute", "none"],
    foreign: ["disown", "certain"],
  };

  it.each(CLAIMS.flatMap((claim) => wrong[claim].map((more) => [claim, more] as const)))(
    "%s: not %j",
    (claim, more) => {
      const [move, before] = MOVE[claim];
      const draft = draftWith([], [machine(before)]);
      const thrown = thrownBy(draft, () => draft.moveDeployment(move, { ...machine(claim), ...more }));
      expect(thrown).toMatchObject({ code: "UNSOUND", message: expect.stringContaining(claim) });
    },
  );

  it("its owner and its launch change by a move alone", () => {
    for (const more of [{ owner: "fleet:other" }, { intent: "i2" }, { claimed: null }] as const) {
      const draft = draftWith([], [machine("certain")]);
      const thrown = thrownBy(draft, () => draft.putDeployment({ ...machine("certain"), ...more }));
      expect(thrown).toMatchObject({ code: "UNSOUND" });
    }
  });

  it("control: a row that an older version left incomplete may be shown anew", () => {
    const odd: DeploymentRow = { ...machine("certain"), claimed: null };
    const draft = draftWith([], [odd]);
    draft.putDeployment({ ...odd, status: "stopping" });
    expect(draft.deployments.ever("m1")).toMatchObject({ status: "stopping" });
  });
});

const FLEET: Readonly<Record<keyof typeof FLEET_MOVES, string>> = {
  declare: "new removed > unborn",
  askAgain: "removed > unborn born",
  beBorn: "unborn > born",
  rename: "new removed > unborn born",
  remove: "unborn born > removed",
};
const FLEETS = ["unborn", "born", "removed"] as const;

function fleetIn(state: string): FleetRow {
  const [born, removed] = [state === "born", state === "removed"];
  const rest = { wish: {}, birth: null, paused: false, pace: 1, reasons: [] };
  return { name: "web", source: "file:a", born, removed, ...rest };
}

it.each(["new", ...FLEETS].flatMap((from) => FLEETS.map((to) => [from, to] as const)))(
  "a fleet from %s to %s",
  (from, to) => {
    const fleets = from === "new" ? [] : [fleetIn(from)];
    const none = { intents: [], deployments: [], slots: [], cooldowns: [] };
    const draft = new Draft(tablesOf({ account: ACCOUNT, ...none, fleets }));
    const thrown = thrownBy(draft, () => draft.putFleet(fleetIn(to)));
    const legal = from === to || Object.values(FLEET).some((move) => isLegal(move, from, to));
    if (legal) expect(thrown).toBeUndefined();
    else expect(thrown).toMatchObject(ILLEGAL("fleet web", from, to));
  },
);

it("docs/how/protocol.md shows both tables as they are", () => {
  const doc = readFileSync(new URL("../../docs/how/protocol.md", import.meta.url), "utf8");
  for (const [move, { from, to, by }] of [...Object.entries(INTENT_MOVES), ...Object.entries(CLAIM_MOVES)])
    expect(doc).toContain(`| ${move} | ${from.join(", ")} | ${to.join(", ")} | ${by} |\n`);
});
