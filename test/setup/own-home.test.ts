import { execFileSync } from "node:child_process";
import { homedir, userInfo } from "node:os";
import { expect, it } from "vitest";
import { defaultLedger } from "../../account/configuration.ts";

it("tests have a home and a time zone of their own, and no settings of whoever runs them", () => {
  const theirs = userInfo().homedir;
  expect(homedir()).not.toBe(theirs);
  expect(defaultLedger().startsWith(theirs)).toBe(false);
  expect(execFileSync(process.execPath, ["-p", "os.homedir()"], { encoding: "utf8" }).trim()).toBe(homedir());
  expect(new Date(0).getTimezoneOffset()).toBe(0);
  const settings = [
    "FLEETKEEPER_BASE_URL",
    "FLEETKEEPER_LEDGER",
    "PULUMI_ACCESS_TOKEN",
    "PGHOST",
    "XDG_CACHE_HOME",
  ];
  expect(settings.filter((name) => process.env[name] !== undefined)).toEqual([]);
});
