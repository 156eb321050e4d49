import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../ledger/system-clock.ts";
import { FLEET, place, running, until } from "./cli.ts";

async function withFleet() {
  const on = await place();
  on.write("fleet.yaml", FLEET);
  await on.run(["agent", "--once"]);
  await on.run(["agent", "--once"]);
  return on;
}

test("a moved ledger knows its machines in the new place: nothing is launched again, and the old one is refused", async () => {
  const on = await withFleet();
  expect(on.simulator.truth().launches).toHaveLength(2);
  const [old, to] = [on.env.FLEETKEEPER_LEDGER ?? "", join(on.folder, "new.db")];
  const { code, stdout } = await on.run(["ledger", "copy", "--to", to]);
  expect(code).toBe(0);
  expect(stdout).toContain(`Moved: ${old} is now at ${to}.`);
  const env = { FLEETKEEPER_LEDGER: to };
  for (let round = 0; round < 2; round++) await on.run(["agent", "--once"], env);
  expect(on.simulator.truth().launches).toHaveLength(2);
  for (const args of [
    ["status"],
    ["agent", "--once"],
    ["ledger", "check"],
    ["ledger", "copy", "--to", "x.db"],
  ]) {
    const refused = await on.run(args);
    expect(refused.code, args.join(" ")).toBe(1);
    expect(refused.stderr).toContain(`this ledger was moved to ${to} by fleetkeeper ledger copy`);
  }
  expect(on.simulator.truth().launches).toHaveLength(2);
});

test("a ledger is not moved under an agent, nor onto itself, nor onto one that is in use", async () => {
  const on = await place();
  on.write("fleet.yaml", FLEET);
  const agent = on.start(["agent", "--no-http"]);
  await until("both run", () => running(on) === 2);
  expect(await on.run(["ledger", "copy", "--to", "new.db"])).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/an agent keeps the account of .* \(process \d+ on .*\)\. Stop it first/),
  });
  agent.kill("SIGTERM");
  await agent.ended;
  const old = on.env.FLEETKEEPER_LEDGER ?? "";
  expect((await on.run(["ledger", "copy", "--to", old])).stderr).toContain(`--from and --to are both ${old}`);
  expect((await on.run(["ledger", "copy"])).stderr).toContain("Say where it goes, with --to");
  expect((await on.run(["ledger", "copy", "--from", "none.db", "--to", "x.db"])).stderr).toContain(
    "there is no ledger here",
  );
  const other = { FLEETKEEPER_LEDGER: join(on.folder, "other.db") };
  await on.run(["deployments", "list"], other);
  const onto = await on.run(["ledger", "copy", "--from", old, "--to", other.FLEETKEEPER_LEDGER]);
  expect(onto).toMatchObject({ code: 2, stderr: expect.stringContaining("this ledger is in use") });
  expect(await on.run(["status"])).toMatchObject({ code: 0 });
  const secret = await on.run(["ledger", "copy", "--to", "postgres://me:sesame@db/fleets"]);
  expect(secret).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("--to: a password stands in this URL"),
  });
  expect(secret.said).not.toContain("sesame");
});

test("a launch whose time is up holds no move up, though nobody can say that its process is dead", async () => {
  const on = await withFleet();
  const db = new DatabaseSync(on.env.FLEETKEEPER_LEDGER ?? "");
  const open = (sent: string): void => {
    db.prepare(
      `UPDATE intent SET state = 'open', row = json_set(row, '$.state', 'open', '$.answer', json('null'),
       '$.sender', json(?), '$.stamped.mono', ${sent}) WHERE id = (SELECT min(id) FROM intent)`,
    ).run(JSON.stringify(systemClock().self));
  };
  open("json_extract(row, '$.stamped.mono')");
  expect((await on.run(["ledger", "copy", "--to", "new.db"])).stderr).toMatch(
    /is sending launch \w+\. Wait until it has ended, or stop it first: this takes \d+ s at most/,
  );
  open("-10000000");
  db.close();
  expect(await on.run(["ledger", "copy", "--to", "new.db"])).toMatchObject({ code: 0 });
});

test("a launch may have one machine too many that is certainly ours, and a check finds nothing wrong", async () => {
  const on = await withFleet();
  const db = new DatabaseSync(on.env.FLEETKEEPER_LEDGER ?? "");
  onTestFinished(() => db.close());
  db.exec("UPDATE deployment SET row = json_set(row, '$.intent', (SELECT min(id) FROM intent))");
  expect((await on.run(["ledger", "check"])).stdout).toMatch(/is said to have made several machines/);
  db.exec(
    `UPDATE intent SET state = 'absent', row = json_set(row, '$.state', 'absent', '$.deployment', null)
     WHERE id = (SELECT max(id) FROM intent)`,
  );
  expect(await on.run(["ledger", "check"])).toMatchObject({ code: 0 });
});

test("a check finds a sound ledger sound, and names what is wrong with another", async () => {
  const on = await withFleet();
  expect(await on.run(["ledger", "check"])).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(
      /version \d+\nrows: account 1, intent 2, deployment 2, .*\nEvery row can be read/,
    ),
  });
  const db = new DatabaseSync(on.env.FLEETKEEPER_LEDGER ?? "");
  onTestFinished(() => db.close());
  db.exec(`
    UPDATE deployment SET row = json_set(row, '$.intent', (SELECT min(id) FROM intent));
    UPDATE intent SET state = 'absent' WHERE id = (SELECT max(id) FROM intent);
    UPDATE fleet SET row = json_remove(row, '$.source');
    DROP TRIGGER intent_recalled; DROP INDEX intent_open;
  `);
  const { code, stdout } = await on.run(["ledger", "check"]);
  expect(code).toBe(1);
  for (const wrong of [
    /launch \w+ is said to have made several machines/,
    /table intent, id \w+: the column state is not the row's state/,
    /table fleet, name training: source is not what was written/,
    /the trigger intent_recalled is missing/,
    /the index intent_open is missing/,
  ])
    expect(stdout).toMatch(wrong);
});
