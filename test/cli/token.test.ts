import { describe, expect, it } from "vitest";
import { callCli, place } from "./cli.ts";
import { pageOf } from "./two-services.ts";

describe("fleetkeeper token", () => {
  it("prints a secret once, which orders of a running agent what it may, lists it without that, and ends it", async () => {
    const on = await place();
    const agent = on.start(["agent", "--http", "127.0.0.1:0"]);
    const url = await pageOf(agent);
    const made = await on.run(["token", "create", "--name", "ci", "--may", "operate", "--for", "30d"]);
    expect([made.code, made.stderr]).toEqual([0, expect.stringContaining("may operate, for 30 days.")]);
    const secret = made.stdout.trim();
    expect(secret).toMatch(/^fk_[\w-]{43}$/);
    const resume = async (token: string): Promise<number> =>
      (
        await fetch(`${url}api/v1/account/resume`, {
          method: "POST",
          headers: { authorization: `Bearer ${token}` },
        })
      ).status;
    await expect.poll(() => resume(secret)).toBe(200);
    expect(await resume(`${secret}x`)).toBe(401);
    const listed = await on.run(["token", "list"]);
    expect(listed.stdout).toMatch(/^NAME +MAY +FLEETS +MADE +LEFT\nci +operate +all +\S+Z +(?:30|29) days/);
    expect(listed.stdout).not.toContain(secret);
    const revoked = await callCli(["token", "revoke", "ci"], on.folder, on.env, "user:ann@desk");
    expect(revoked.stdout).toBe("ci opens nothing any more.\n");
    expect(await resume(secret)).toBe(401);
    expect((await on.run(["token", "list"])).stdout).toBe("No token is open.\n");
    const { stdout } = await on.run(["history"]);
    expect(stdout).toMatch(/ordered: .* \(token:ci\)\n.* the token ci was revoked \(user:ann@desk\)\n$/);
    expect((await on.run(["history", "--by", "user:ann@desk"])).stdout.match(/^ {2}/gm)).toHaveLength(1);
    agent.kill("SIGTERM");
    const { said } = await agent.ended;
    expect(said + stdout).not.toContain(secret);
  });

  it.each([
    [["--name", "ci"], /required option '--may <right>' not specified/],
    [["--name", "ci", "--may", "all"], /Allowed choices are read, operate, declare, admin/],
    [
      ["--name", "ci", "--may", "read", "--for", "400d"],
      /--for 400d: expected a duration such as 12h or 90d/,
    ],
    [["--name", "ci", "--may", "read", "--fleets", "a b"], /--fleets a b: expected a fleet's name/],
    [["--name", "ci", "--may", "admin", "--fleets", "a-*"], /--may admin: it may stop everything/],
    [["--name", "ci", "--may", "read"], /there is no ledger here yet/],
  ])("create %j is a mistake that says which", async (args, why) => {
    const on = await place();
    const { code, stderr } = await on.run(["token", "create", ...args]);
    expect([code, stderr]).toEqual([2, expect.stringMatching(why)]);
  });
});
