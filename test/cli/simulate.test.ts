import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { place } from "./cli.ts";

test("simulate prints the environment of the next command, serves until Ctrl-C, and ends well", async () => {
  const on = await place();
  const simulation = on.start(["simulate", "--balance", "77.5", "--dialect", "nested", "--float"]);
  const text = await simulation.shows("Ctrl-C ends it.");
  const printed = [...text.matchAll(/^ {2}export (\w+)=(.*)$/gm)].map(([, name, value]) => [name, value]);
  const account = await on.run(["account"], Object.fromEntries(printed));
  expect(account).toMatchObject({ code: 0, stdout: expect.stringContaining("balance 77.50 USD") });
  const commands = [...text.matchAll(/^ {2}(?:npx )?fleetkeeper (.*)$/gm)].map(([, args = ""]) =>
    args.split(" "),
  );
  for (const args of commands)
    expect(await on.run(args, Object.fromEntries(printed))).toMatchObject({ code: 0 });
  const plan = await on.run(["plan"], Object.fromEntries(printed));
  expect(plan.stdout).toContain("training: 16 GPUs asked for");
  expect(plan.stdout).toContain("  launch  ");
  simulation.kill("SIGINT");
  expect((await simulation.ended).code).toBe(0);
});

test("a port that is taken, and values that are none", async () => {
  const on = await place();
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const said = async (...args: string[]): Promise<string> => {
    const { code, stdout, stderr } = await on.run(["simulate", ...args]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).not.toMatch(/^\s+at /m);
    return stderr;
  };
  expect(await said("--port", String(port))).toContain(
    `Port ${port} cannot be had: another process listens there`,
  );
  expect(await said("--port", "99999")).toContain("at most 65535");
  expect(await said("--balance", "lots")).toContain("an amount as a plain decimal");
  expect(await said("--speed", "0")).toContain("above 0");
  expect(await said("--dialect", "klingon")).toContain(
    "expected one of plain, nested, link, handwritten, camel",
  );
});
