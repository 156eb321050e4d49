import path from "node:path";
import { describe, expect, it } from "vitest";
import { hasBackend, localBackend } from "../../scripts/setup/pulumi-backend.mjs";
import { emptyFolder, write } from "./folder.ts";

const url = "file:///clone/.fleetkeeper/pulumi";

describe("where npm run pulumi keeps the state", () => {
  it("is the user's choice if there is one", () => {
    const home = emptyFolder();
    expect(hasBackend({ HOME: home })).toBe(false);
    expect(hasBackend({ HOME: home, PULUMI_BACKEND_URL: "s3://bucket" })).toBe(true);
    expect(hasBackend({ HOME: home, PULUMI_ACCESS_TOKEN: "pul-x" })).toBe(true);
    const credentials = path.join(".pulumi", "credentials.json");
    write(home, { [credentials]: JSON.stringify({ current: "" }) });
    expect(hasBackend({ HOME: home })).toBe(false);
    write(home, { [credentials]: JSON.stringify({ current: "https://api.pulumi.com" }) });
    expect(hasBackend({ HOME: home })).toBe(true);
    expect(hasBackend({ HOME: home, PULUMI_HOME: emptyFolder() })).toBe(false);
  });

  it("is the clone otherwise, with an empty passphrase that is announced", () => {
    const { variables, notice } = localBackend(url, {});
    expect(variables).toEqual({ PULUMI_BACKEND_URL: url, PULUMI_CONFIG_PASSPHRASE: "" });
    expect(notice).toContain("EMPTY passphrase");
  });

  it("leaves a passphrase that is set alone", () => {
    for (const env of [{ PULUMI_CONFIG_PASSPHRASE: "x" }, { PULUMI_CONFIG_PASSPHRASE_FILE: "/x" }]) {
      const { variables, notice } = localBackend(url, env);
      expect(variables).toEqual({ PULUMI_BACKEND_URL: url });
      expect(notice).not.toContain("EMPTY");
    }
  });
});
