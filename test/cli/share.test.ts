import { describe, expect, it } from "vitest";
import { place } from "./cli.ts";
import { pageOf, two, writeFleets } from "./two-services.ts";

const TOKEN = "0123456789abcdef0123456789abcdef";

describe("fleetkeeper share", () => {
  it("prints a link that opens the page of a running agent, lists it without its secret, and ends it", async () => {
    const on = await place();
    const agent = on.start(["agent", "--http", "127.0.0.1:0"], { FLEETKEEPER_HTTP_TOKEN: TOKEN });
    const url = await pageOf(agent);
    const made = await on.run(["share", "--url", url, "--for", "8h"]);
    expect(made.code).toBe(0);
    const link = new URL(made.stdout.trim());
    expect(link.href.startsWith(`${url}share#`)).toBe(true);
    const secret = link.hash.slice(1);
    expect(secret).toMatch(/^[\w-]{43}$/);
    expect(made.stderr).toMatch(
      /reads the page for 8 h, and can do nothing\. .*fleetkeeper share --end [0-9a-f]{8}/s,
    );
    const see = async (): Promise<number> =>
      (await fetch(url, { headers: { cookie: `fleetkeeper-share=${secret}` } })).status;
    expect(await see()).toBe(200);
    const listed = await on.run(["share", "--list"]);
    const [id = ""] = /[0-9a-f]{8}/.exec(listed.stdout) ?? [];
    expect(listed.stdout).toMatch(/^ID +MADE +LEFT\n[0-9a-f]{8} +\S+Z +(?:8 h|7 h \d+ min)/);
    expect(listed.stdout).not.toContain(secret);
    expect((await on.run(["share", "--end", id])).stdout).toContain(
      `Share links that lead nowhere any more: ${id}.`,
    );
    // An agent looks for ended links once a second.
    await expect.poll(see).toBe(403);
    expect((await on.run(["share", "--list"])).stdout).toContain("No share link is open.");
    const again = await on.run(["share", "--end", id]);
    expect([again.code, again.stderr]).toEqual([
      2,
      expect.stringContaining("no open share link has this id"),
    ]);
    agent.kill("SIGTERM");
    const { said: all } = await agent.ended;
    expect(all).not.toContain(secret);
    expect(all).not.toContain(TOKEN);
  });

  it.each([
    [["share"], /say where people reach the page: --url https:/],
    [
      ["share", "--url", "fleet.example.com"],
      /--url fleet\.example\.com: expected the address of the page, such as https:/,
    ],
    [["share", "--url", "ftp://fleet.example.com"], /expected the address of the page/],
    [["share", "--url", "https://me:pw@fleet.example.com"], /expected the address of the page/],
    [
      ["share", "--url", "https://f.example.com", "--for", "7x"],
      /--for 7x: expected a duration such as 30m, 8h or 7d, at most 30d/,
    ],
    [["share", "--url", "https://f.example.com", "--for", "721h"], /at most 30d/],
    [["share", "--list", "--end", "all"], /cannot be used with/],
    [["share", "--url", "https://f.example.com"], /there is no ledger here yet/],
    [["share", "--list"], /there is no ledger here yet/],
  ])("%j ends with 2 and what to do", async (args, message) => {
    const { run } = await place();
    const { code, stderr } = await run(args);
    expect(stderr).toMatch(message);
    expect(code).toBe(2);
  });

  it("of several services, needs to know which one, and makes a link to its page", async () => {
    const world = await two();
    const { on, env } = world;
    writeFleets(world);
    expect((await on.run(["agent", "--once"], env)).code).toBe(0);
    const keyless = { ...env, ACME_KEY: undefined, DUNE_KEY: undefined };
    const bare = await on.run(["share", "--url", "https://f.example.com/gpu/"], keyless);
    expect([bare.code, bare.stderr]).toEqual([2, expect.stringContaining("this ledger has several")]);
    const made = await on.run(["share", "--url", "https://f.example.com/gpu/", "--service", "acme"], keyless);
    expect(made.stdout).toMatch(/^https:\/\/f\.example\.com\/gpu\/services\/acme\/share#[\w-]{43}\n$/);
  });
});
