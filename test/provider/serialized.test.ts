import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { tooOld } from "../../ledger/node-version.ts";
import { call } from "../../provider/entry.ts";
import { FLEET_PROVIDER, MACHINE_PROVIDER, SLOT_PROVIDER, WISH_PROVIDER } from "../../provider/serialized.ts";
import { olderText } from "../support/older-text.ts";

const providers = { SLOT_PROVIDER, MACHINE_PROVIDER, FLEET_PROVIDER, WISH_PROVIDER };

describe("the serialized providers", () => {
  it("are the same bytes in every release: each stack has them in its state", () => {
    const hashes = Object.entries(providers).map(([name, text]) => [
      name,
      createHash("sha256").update(text).digest("hex").slice(0, 16),
    ]);
    expect(Object.fromEntries(hashes)).toMatchInlineSnapshot(`
      {
        "FLEET_PROVIDER": "d66e184b473b62e6",
        "MACHINE_PROVIDER": "fe09d7dee7b2c1f5",
        "SLOT_PROVIDER": "152c5afdd48b4f1d",
        "WISH_PROVIDER": "a18117df27a78aca",
      }
    `);
  });

  it.each(Object.entries(providers))("%s is short and imports its implementation by name", (_name, text) => {
    expect(text.length).toBeLessThan(256);
    expect(text).toContain("import('fleetkeeper/provider/impl')");
  });

  it.each([
    ["are called", SLOT_PROVIDER],
    ["of the first version are called", olderText("slot")],
  ])("%s with the configuration, which they keep at once", async (_name, given) => {
    const calls: unknown[][] = [];
    const text = given.replace(/import\(.fleetkeeper\/provider\/impl.\)/, "impl");
    const exports: { handler?: () => Record<string, (...args: unknown[]) => unknown> } = {};
    const impl = Promise.resolve({ call: (...args: unknown[]) => calls.push(args) });
    new Function("exports", "impl", text)(exports, impl);
    const provider = exports.handler!();
    // The host calls a method before configure's promise is settled.
    provider.configure!({ config: "the config" });
    await provider.diff!("id", 1, 2);
    expect(calls).toEqual([["slot", "diff", "the config", ["id", 1, 2]]]);
    expect(Object.keys(provider)).toEqual([
      "configure",
      "check",
      "diff",
      "create",
      "read",
      "update",
      "delete",
    ]);
  });
});

describe("what they import", () => {
  it("is called as ever", async () => {
    await expect(call("slot", "nothing", undefined, [])).rejects.toThrow(
      "fleetkeeper knows no method nothing",
    );
    await expect(call("cluster", "check", undefined, [])).rejects.toThrow(
      "fleetkeeper knows no resource cluster",
    );
  });

  it("can be loaded by an older Node, to say which one it takes", () => {
    expect(tooOld("20.20.2")).toBe("fleetkeeper needs Node 24 or newer, and this is 20.20.2.");
    expect(tooOld("24.0.0")).toBeUndefined();
    const loads = (file: string) =>
      readFileSync(join(import.meta.dirname, "../..", file), "utf8").match(/^import (?!type ).*$/gm) ?? [];
    expect(loads("provider/entry.ts")).toEqual(['import { tooOld } from "../ledger/node-version.ts";']);
    expect(loads("ledger/node-version.ts")).toEqual([]);
  });
});
