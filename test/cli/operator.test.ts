import { join } from "node:path";
import { expect, test } from "vitest";
import { runCli } from "../../agent/cli/program.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { openSqliteLedger } from "../../ledger/sqlite/sqlite-ledger.ts";
import { deploymentAsFound } from "../support/as-found.ts";
import type { Place, Run } from "./cli.ts";
import { alive, FLEET, place, running, until } from "./cli.ts";

const SHARED = { FLEETKEEPER_ACCOUNT: "shared" };
const EIGHT = { offer: "h100-80gb-x8", provider: "aurora", location: "fi-hel" };

test("on a shared account a fleet waits until each machine was adopted or disowned", async () => {
  const on = await place();
  on.write("fleet.yaml", FLEET);
  const [mine, theirs] = [1, 2].map(() => on.simulator.control.launchByHand(EIGHT));
  const waiting = await on.run(["agent", "--once"], SHARED);
  expect(waiting.stdout).toContain("fleetkeeper adopt or disown each");
  expect(on.simulator.truth().launches).toEqual([]);
  const adopted = await on.run(["adopt", mine ?? "", "--fleet", "training"], SHARED);
  expect(adopted).toMatchObject({ code: 0, stderr: "" });
  expect(adopted.stdout).toContain(`${mine} belongs to fleet training now`);
  const disowned = await on.run(["disown", theirs ?? ""], SHARED);
  expect(disowned.stdout).toContain(`${theirs} is nobody's here now. It keeps running`);
  await on.run(["agent", "--once"], SHARED);
  await on.run(["agent", "--once"], SHARED);
  expect(on.simulator.truth().launches).toHaveLength(1);
  expect(alive(on)).toHaveLength(3);
});

const TOO_MUCH = (id: string): string =>
  `Once ${id} is in fleet training, the agent stops what is too much (16 GPUs are asked for). As of now that is:\n`;

/** A fleet of two machines that is full, and a third one by hand. */
async function full(): Promise<{ on: Place; own: readonly string[]; id: string }> {
  const on = await place();
  on.write("fleet.yaml", FLEET);
  for (let round = 0; round < 8 && alive(on).length < 2; round++) await on.run(["agent", "--once"], SHARED);
  const own = alive(on).map(({ id }) => id);
  expect(own).toHaveLength(2);
  return { on, own, id: on.simulator.control.launchByHand(EIGHT) };
}

function kept(on: Place): readonly string[] {
  return alive(on).flatMap(({ id, states }) => (states.at(-1)?.state === "stopping" ? [] : [id]));
}

test("whoever adopts a machine into a full fleet is told first what the agent stops for it", async () => {
  const { on, own, id } = await full();
  const refused = await on.run(["adopt", id, "--fleet", "training"], SHARED);
  expect(refused.code).toBe(2);
  expect(refused.stderr.startsWith(TOO_MUCH(id))).toBe(true);
  expect(refused.stderr).toContain("raise gpus in the fleet's declaration first");
  expect(refused.stderr).toContain(
    `fleetkeeper pause training, adopt, deployments stop ${id}, resume training.`,
  );
  expect(refused.stderr).toContain("Say --yes if it is meant so");
  const [named, ...more] = own.filter((each) => refused.stderr.includes(each));
  expect(more).toEqual([]);
  expect(await ownerIn(on, id)).toBeNull();
  const said = await on.run(["adopt", id, "--fleet", "training", "--yes"], SHARED);
  expect(said.code).toBe(0);
  await on.run(["agent", "--once"], SHARED);
  await on.run(["agent", "--once"], SHARED);
  // It is the one that was named.
  expect(own.filter((each) => !kept(on).includes(each))).toEqual([named]);
});

test("a paused fleet says what it stops once it is resumed, and asks nothing: the machine alone can be ended before", async () => {
  const { on, own, id } = await full();
  await on.run(["pause", "training"], SHARED);
  const adopted = await on.run(["adopt", id, "--fleet", "training"], SHARED);
  expect(adopted.code).toBe(0);
  expect(adopted.stderr).toContain(
    "fleet training is paused. Once it is resumed, the agent stops what is too much (16 GPUs are asked for).",
  );
  expect(adopted.stderr).toContain(`fleetkeeper deployments stop ${id} before that`);
  expect((await on.run(["deployments", "stop", id, "--yes"], SHARED)).code).toBe(0);
  await on.run(["resume", "training"], SHARED);
  for (let round = 0; round < 3; round++) await on.run(["agent", "--once"], SHARED);
  expect([...kept(on)].sort()).toEqual([...own].sort());
});

test("a fleet that has not launched yet says so, too", async () => {
  const on = await place();
  on.write("fleet.yaml", FLEET.replace("gpus: 16", "gpus: 8"));
  const [one, other] = [1, 2].map(() => on.simulator.control.launchByHand(EIGHT));
  await on.run(["agent", "--once"], SHARED);
  expect((await on.run(["adopt", one ?? "", "--fleet", "training"], SHARED)).stderr).toBe("");
  const refused = await on.run(["adopt", other ?? "", "--fleet", "training"], SHARED);
  expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining("(8 GPUs are asked for)") });
});

test("a count that a person says is asked about, too, where the fleet has too much by it", async () => {
  const on = await place();
  on.write("fleet.yaml", FLEET);
  for (let round = 0; round < 8 && alive(on).length < 2; round++) await on.run(["agent", "--once"], SHARED);
  const [first] = alive(on);
  const said = ["adopt", first?.id ?? "", "--fleet", "training", "--gpus"];
  expect(await on.run([...said, "8"], SHARED)).toMatchObject({ code: 0, stderr: "" });
  const refused = await on.run([...said, "16"], SHARED);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain(TOO_MUCH(first?.id ?? ""));
});

test("a machine that spends the fleet's total by its next hour is adopted only by who knows that all is stopped", async () => {
  const on = await place();
  const fleet = (more: string): string => FLEET.replace("gpus: 16", `gpus: 8${more}`);
  on.write("fleet.yaml", fleet(""));
  for (let round = 0; round < 8 && running(on) < 1; round++) await on.run(["agent", "--once"], SHARED);
  const id = on.simulator.control.launchByHand(EIGHT);
  on.write("fleet.yaml", fleet("\n    budget: { total: 30 }"));
  await on.run(["agent", "--once"], SHARED);
  const refused = await on.run(["adopt", id, "--fleet", "training"], SHARED);
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain("the agent stops what it has (the fleet has cost ");
  expect(refused.stderr).toContain("raise budget.total in the fleet's declaration first");
});

/** What a command says, where something happens while it asks, and the answer is yes. */
async function meanwhile(on: Place, args: readonly string[], happens: () => Promise<unknown>) {
  const [asked, told]: [string[], string[]] = [[], []];
  const code = await runCli([...args, "--config", join(on.folder, "fleet.yaml")], "0", {
    environment: { ...on.env, ...SHARED },
    signal: new AbortController().signal,
    print: () => undefined,
    tell: (text) => told.push(text),
    color: false,
    ask: {
      confirm: async (question) => {
        asked.push(question);
        await happens();
        return true;
      },
      input: () => expect.unreachable("it only asks once"),
      select: () => expect.unreachable("it only asks once"),
    },
  });
  return { code, asked, told: told.at(-1) };
}

test("what changes while the question is open is not stopped unasked", async () => {
  const { on, id } = await full();
  const { code, asked, told } = await meanwhile(on, ["adopt", id, "--fleet", "training"], () =>
    onLedger(on, (ledger, account) =>
      ledger.decide(account, (draft) => {
        const row = draft.fleets.get("training")!;
        draft.putFleet({ ...row, wish: { ...(row.wish as Record<string, never>), gpus: 8 } });
      }),
    ),
  );
  expect(asked).toEqual([`Adopt ${id}, and let the agent stop that one (19.92 USD an hour)?`]);
  expect(code).toBe(2);
  expect(told).toContain("Run this again");
  expect(await ownerIn(on, id)).toBeNull();
  for (const [order, by] of [
    [
      ["adopt", "--fleet", "training"],
      ["adopt", "--fleet", "training", "--yes"],
    ],
    [["deployments", "stop"], ["disown"]],
  ] as const)
    expect(await meanwhile(on, [...order, id], () => on.run([...by, id], SHARED))).toMatchObject({
      code: 2,
      told: expect.stringContaining(`${id} was changed since you were asked`),
    });
  expect(kept(on)).toHaveLength(3);
});

test("a machine whose GPUs nobody shows is adopted with what its fleet says, or with --gpus", async () => {
  const on = await place({ dialect: "link" });
  const fleet = (more: string): string => `fleets:
  - name: training
    gpus: 8
    match: none
    parameters: { image: ubuntu }
    candidates:
      - { offer: h100-80gb-x8, provider: aurora, location: fi-hel, gpus: 8 }
${more}`;
  on.write(
    "fleet.yaml",
    fleet("      - { offer: h100-80gb-x4, provider: aurora, location: fi-hel, gpus: 4 }\n"),
  );
  const id = on.simulator.control.launchByHand(EIGHT);
  await on.run(["plan"]);
  await on.run(["agent", "--once"], { FLEETKEEPER_PROTOCOL: '{"poll": 1}' });
  const launched = on.simulator.truth().launches.length;
  const unsaid = await on.run(["adopt", id, "--fleet", "training"]);
  expect(unsaid).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`how many GPUs ${id} has: say it with --gpus`),
  });
  expect((await on.run(["adopt", id, "--fleet", "training", "--gpus", "8"])).code).toBe(0);
  expect((await on.run(["status", "--json"])).stdout).toContain(`"gpus": 8`);
  expect(on.simulator.truth().launches).toHaveLength(launched);
});

test("a machine that shows fewer GPUs than its candidate has is adopted as what that says", async () => {
  const on = await place();
  const single = "      - { offer: l40s-48gb-x1, provider: dune, location: us-west, gpus: 1 }\n";
  on.write("fleet.yaml", `${FLEET.replace("gpus: 8 }", "gpus: 16 }")}${single}`);
  const id = on.simulator.control.launchByHand(EIGHT);
  await on.run(["agent", "--once"], SHARED);
  await on.run(["adopt", id, "--fleet", "training"], SHARED);
  await on.run(["agent", "--once"], SHARED);
  await on.run(["agent", "--once"], SHARED);
  expect(on.simulator.truth().launches).toEqual([]);
});

test("mistakes of an operator are told, with what there is", async () => {
  const on = await place();
  on.write("fleet.yaml", FLEET);
  await on.run(["agent", "--once"]);
  const [machine] = alive(on);
  const said = async (...args: string[]): Promise<string> => {
    const { code, stderr } = await on.run(args);
    expect(code).toBe(2);
    return stderr.trim();
  };
  expect(await said("adopt", machine?.id ?? "")).toBe(
    "say who adopts it: --fleet NAME, or --deployment NAME for a Pulumi Deployment.",
  );
  expect(await said("adopt", machine?.id ?? "", "--fleet", "trainig")).toContain("there are: training");
  expect(await said("adopt", machine?.id ?? "", "--deployment", "web")).toContain("there are: none");
  expect(await said("adopt", "nope", "--fleet", "training")).toContain("no list of this account ever showed");
  expect(await said("disown", "nope")).toContain("no list of this account ever showed");
  expect(await said("adopt", "x", "--fleet", "training", "--gpus", "0")).toContain("at least 1");
});

test("a machine is adopted by the one living Deployment of a name, and never by one of several", async () => {
  const on = await place();
  const [first, second] = [1, 2].map(() => on.simulator.control.launchByHand(EIGHT));
  await on.run(["deployments", "list"], SHARED);
  await slots(on, { old: { closing: true }, living: {} });
  const adopt = (id: string | undefined, name: string): Promise<Run> =>
    on.run(["adopt", id ?? "", "--deployment", name], SHARED);
  expect(await adopt(first, "trainer")).toMatchObject({
    code: 0,
    stdout: `${first} belongs to deployment trainer now, and is counted, billed and stopped with it.\n`,
  });
  expect(await ownerIn(on, first)).toBe("slot:living");
  expect((await on.run(["deployments", "stop", second ?? "", "--yes"], SHARED)).stderr).toContain(
    `fleetkeeper adopt ${second} --deployment NAME, then fleetkeeper deployments stop ${second}`,
  );
  expect(await adopt(second, "old")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("it is being deleted"),
  });
  await slots(on, { another: {} });
  expect(await adopt(second, "trainer")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("2 Deployments here have this name"),
  });
  expect((await adopt(second, "trainer")).stderr).toContain("living, another.");
  expect(await ownerIn(on, second)).toBeNull();
  expect((await adopt(second, "another")).code).toBe(0);
  expect(await ownerIn(on, second)).toBe("slot:another");
});

test("a Deployment that is being deleted adopts what may be its own, and the refusal to stop that says so", async () => {
  const on = await place();
  const id = on.simulator.control.launchByHand(EIGHT);
  await on.run(["deployments", "list"], SHARED);
  await slots(on, { old: { closing: true } });
  await onLedger(on, (ledger, account) =>
    ledger.decide(account, (draft) =>
      deploymentAsFound(draft, { ...draft.deployments.ever(id)!, claim: "inferred", owner: "slot:old" }),
    ),
  );
  const refused = await on.run(["deployments", "stop", id, "--yes"], SHARED);
  expect(refused.stderr).toContain(
    `fleetkeeper adopt ${id} --deployment old, then fleetkeeper deployments stop ${id}`,
  );
  expect((await on.run(["adopt", id, "--deployment", "old"], SHARED)).code).toBe(0);
});

async function onLedger<T>(on: Place, work: (ledger: Ledger, account: string) => Promise<T>): Promise<T> {
  const path = on.env.FLEETKEEPER_LEDGER ?? "";
  const ledger = openSqliteLedger({ path, newId: "unused", now: Date.now() });
  try {
    return await work(ledger, (await ledger.accounts())[0]?.key ?? "");
  } finally {
    ledger.close();
  }
}

/** Slots of Deployments that are all called `trainer`. */
async function slots(
  on: Place,
  rows: Readonly<Record<string, { readonly closing?: boolean }>>,
): Promise<void> {
  const created = { wall: Date.now(), mono: 0, boot: "test" };
  await onLedger(on, (ledger, account) =>
    ledger.decide(account, (draft) => {
      for (const [id, { closing = false }] of Object.entries(rows))
        draft.putSlot({ id, name: "trainer", created, closing });
    }),
  );
}

function ownerIn(on: Place, id: string | undefined): Promise<string | null | undefined> {
  return onLedger(on, async (ledger, account) => {
    const { deployments } = await ledger.read(account);
    return deployments.find((row) => row.id === id)?.owner;
  });
}

test("resume says whether anything was halted", async () => {
  const on = await place();
  expect((await on.run(["resume"])).stdout).toBe("Nothing was halted.\n");
});

test("who else launches in the account is not changed in passing", async () => {
  const on = await place();
  on.write("fleet.yaml", "fleets: []\n");
  await on.run(["agent", "--once"]);
  const id = on.simulator.control.launchByHand(EIGHT);
  const list = ["deployments", "list"];
  for (const [args, env, by] of [
    [["--account", "shared"], {}, "--account"],
    [[], SHARED, "FLEETKEEPER_ACCOUNT"],
  ] as const) {
    const { code, stderr } = await on.run([...list, ...args], env);
    expect(code).toBe(2);
    expect(stderr).toContain(`account: ${by} says shared, but the ledger`);
    expect(stderr).toContain("has you@example.com as exclusive (by FLEETKEEPER_ACCOUNT)");
    expect(stderr).toContain("fleetkeeper account --change-to shared");
  }
  expect((await on.run(list, { FLEETKEEPER_ACCOUNT: undefined })).code).toBe(0);
  const doctor = await on.run(["doctor"], SHARED);
  expect(doctor.code).toBe(2);
  expect(doctor.stdout.replace(/\s+/g, " ")).toContain(
    "stated to be shared, but the ledger was told that it is exclusive",
  );

  const change = ["account", "--change-to", "shared"];
  expect(await on.run(change)).toMatchObject({ code: 2, stderr: expect.stringContaining("Say --yes") });
  const changed = await on.run([...change, "--yes"]);
  expect(changed).toMatchObject({ code: 0, stdout: expect.stringContaining("is shared now") });
  expect((await on.run([...list, "--account", "exclusive"])).code).toBe(2);
  expect((await on.run(list, SHARED)).stdout).toContain(id);
  expect((await on.run(change, SHARED)).stdout).toBe("you@example.com is shared already.\n");
  expect((await on.run(["history"])).stdout).toContain("the account is shared from now on; it was exclusive");
});

test("a drained fleet adopts a machine only to stop it, and asks first", async () => {
  const on = await place();
  on.write("fleet.yaml", FLEET.replace("gpus: 16", 'gpus: 16\n    until: "2020-01-01T00:00:00Z"'));
  const id = on.simulator.control.launchByHand(EIGHT);
  await on.run(["agent", "--once"]);
  const unasked = await on.run(["adopt", id, "--fleet", "training"]);
  expect(unasked.code).toBe(2);
  expect(unasked.stderr).toContain(
    `fleet training stops what it has: the fleet's deadline, 2020-01-01T00:00:00Z, has passed. So ${id} is stopped once it is adopted.`,
  );
  expect(unasked.stderr).toContain("Say --yes if it is meant so");
  await on.run(["agent", "--once"]);
  expect(alive(on)).toHaveLength(1);
  expect(on.simulator.truth().requests.stop).toBe(0);

  const { code, stdout } = await on.run(["adopt", id, "--fleet", "training", "--yes"]);
  expect(code).toBe(0);
  expect(stdout).toContain(`${id} belongs to fleet training now`);
  expect(alive(on)).toEqual([]);
  expect((await on.run(["resume", "training"])).stdout).toContain(
    "No command takes a deadline back: a later until",
  );
});

test("a Deployment whose deadline has passed adopts a machine only to stop it", async () => {
  const on = await place();
  on.write("fleet.yaml", "fleets: []\n");
  const id = on.simulator.control.launchByHand(EIGHT);
  await on.run(["agent", "--once"]);
  await slots(on, { trainer: {} });
  expect((await on.run(["stop", "--all", "--yes"])).code).toBe(1);
  const args = ["adopt", id, "--deployment", "trainer"];
  const unasked = await on.run(args);
  expect(unasked).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("deployment trainer stops what it has"),
  });
  expect(alive(on)).toHaveLength(1);
  expect((await on.run([...args, "--yes"])).code).toBe(0);
  expect(alive(on)).toEqual([]);
});

test("a machine that has fewer GPUs than its candidate says is counted as it is once a person says so", async () => {
  const on = await place({ dialect: "plain" });
  const fleet = (gpus: number): string => `fleets:
  - name: training
    gpus: 16
    candidates:
      - { offer: h100-80gb-x8, provider: aurora, location: fi-hel, gpus: ${gpus}, pricePerHour: 20 }
`;
  on.write("fleet.yaml", fleet(16));
  const status = async (): Promise<string> => (await on.run(["status"])).stdout;
  await on.run(["agent", "--once"]);
  await until("it runs", () => running(on) === 1);
  await on.run(["agent", "--once"]);
  const [machine] = alive(on);
  on.write("fleet.yaml", fleet(8));
  await on.run(["agent", "--once"]);
  expect(alive(on)).toHaveLength(1);
  expect(await status()).toContain(`fleetkeeper adopt ${machine?.id} --fleet training --gpus COUNT`);
  expect((await on.run(["adopt", machine?.id ?? "", "--fleet", "training", "--gpus", "8"])).code).toBe(0);
  await on.run(["agent", "--once"]);
  expect(alive(on)).toHaveLength(2);
  // What happened stands there all the same.
  expect((await status()).split("\n  lately\n")[0]).not.toContain("--gpus COUNT");
});
