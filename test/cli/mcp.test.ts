import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, onTestFinished, test } from "vitest";
import { FLEET, KEY, place, running, until } from "./cli.ts";

const ENTRY = join(import.meta.dirname, "..", "..", "agent", "cli", "entry.ts");

/** `fleetkeeper mcp` as a program of a model starts it. */
async function started(cwd: string, args: readonly string[], env: Readonly<Record<string, string>>) {
  const client = new Client({ name: "test", version: "1" });
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [ENTRY, ...args],
    env: { PATH: process.env.PATH ?? "", ...env },
    cwd,
    stderr: "ignore",
  });
  await client.connect(transport);
  onTestFinished(() => client.close());
  return {
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name: string, asked = {}) => {
      const { content } = await client.callTool({ name, arguments: asked });
      const text = JSON.stringify(content);
      expect(text).not.toContain(KEY);
      return text;
    },
  };
}

test("mcp reads and orders over stdio, beside the ledger and by an agent, as the token may", async () => {
  const on = await place();
  on.write("fleet.yaml", FLEET);
  const agent = on.start(["agent", "--http", "127.0.0.1:0"]);
  const shown = await agent.shows("status page: ");
  const url = /status page: (\S+)/.exec(shown)?.[1] ?? "";
  await until("both run", () => running(on) === 2);
  const create = async (name: string, may: string) =>
    (await on.run(["token", "create", "--name", name, "--may", may])).stdout.trim();
  const may = { FLEETKEEPER_TOKEN: await create("model", "operate") };
  const { PATH: _none, ...beside } = { PATH: "", ...on.env };

  const reads = await started(on.folder, ["mcp"], beside);
  expect((await reads.tools()).filter((name) => !name.startsWith("get"))).toEqual([]);
  expect(await reads.call("getPlan")).toContain("training");

  for (const [args, env] of [
    [["mcp"], beside],
    [["--agent", url, "mcp"], {}],
  ] as const) {
    const orders = await started(on.folder, args, { ...env, ...may });
    expect(await orders.tools()).toContain("confirm");
    for (const [order, phase] of [
      ["pauseFleet", "paused"],
      ["resumeFleet", "kept"],
    ] as const) {
      const asked = await orders.call(order, { fleet: "training" });
      const confirmation = /confirm-[0-9a-f]+/.exec(asked)?.[0] ?? "";
      const said = await orders.call("confirm", { confirmation });
      expect(said).toContain(phase);
      expect(await orders.call("confirm", { confirmation })).toContain("was used before");
    }
  }
  expect((await on.run(["history", "--by", "token:model"])).stdout).toContain("paused");
  // It ends with its input, with exit code 0.
  on.write("asks", `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tools/list" })}\n`);
  const [file, ...program] = [join(on.folder, "asks"), process.execPath, ENTRY];
  await promisify(execFile)("/bin/sh", ["-c", `"$0" "$1" mcp < '${file}'`, ...program], {
    env: { ...process.env, ...on.env },
  });

  const wrong = await on.run(["mcp"], { FLEETKEEPER_TOKEN: `fk_${"x".repeat(43)}` });
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining("no open token of this ledger") });
});
