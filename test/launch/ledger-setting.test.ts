import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { configure, configuredLedger, defaultLedger, heldSecrets } from "../../account/configuration.ts";

const SETTINGS = { baseUrl: "https://gpus.example.com", profile: "acme.yaml" };
const BARE = "postgres://me@db.example.com/fleets";

test("a URL is taken as it is, and a path without the sqlite: before it", () => {
  expect(configuredLedger({ ledger: `${BARE}?sslmode=disable` }, {})).toBe(`${BARE}?sslmode=disable`);
  expect(configuredLedger({ ledger: "sqlite:./l.db" }, {})).toBe("./l.db");
  expect(configuredLedger({}, { FLEETKEEPER_LEDGER: "sqlite:///var/l.db" })).toBe("/var/l.db");
});

test.each(["", "  ", "sqlite:", "sqlite://"])(
  "an empty setting %j is no ledger in the folder where it runs",
  (ledger) => {
    expect(() => configuredLedger({ ledger }, {})).toThrow("ledger: it is empty");
  },
);

test("without a home folder there is no default, and the error names what to say", () => {
  expect(defaultLedger("/home/me")).toBe("/home/me/.fleetkeeper/ledger.db");
  expect(() => defaultLedger("")).toThrow(
    /^ledger: .* HOME is not set\. Say where the ledger is: --ledger FILE, FLEETKEEPER_LEDGER, or fleetkeeper:ledger in a stack/,
  );
  expect(() => defaultLedger("me")).toThrow('HOME is "me"');
});

test("the password of a URL without one comes from PGPASSWORD, or from the file that PGPASSWORD_FILE names", () => {
  const folder = mkdtempSync(join(tmpdir(), "fleetkeeper-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, "password");
  writeFileSync(file, "se@same\n");
  const whole = "postgres://me:se%40same@db.example.com/fleets";
  expect(configuredLedger({ ledger: BARE }, { PGPASSWORD: "se@same" })).toBe(whole);
  expect(configuredLedger({}, { FLEETKEEPER_LEDGER: BARE, PGPASSWORD_FILE: file })).toBe(whole);
  expect(configuredLedger({ ledger: whole }, { PGPASSWORD: "other" })).toBe(whole);
  expect(configuredLedger({ ledger: "l.db" }, { PGPASSWORD: "other" })).toBe("l.db");
});

test("secrets are the credential, the URL and its password, however it is written", () => {
  const configuration = configure(
    { ...SETTINGS, apiKey: "key", ledger: "postgres://me:se%40same@db/fleets" },
    {},
  );
  expect(heldSecrets(configuration)).toEqual([
    ...["key", "postgres://me:se%40same@db/fleets", "se%40same", "se@same"],
  ]);
  expect(heldSecrets({ ...configuration, apiKey: undefined, ledger: "l.db" })).toEqual([]);
  const several = "postgres://me:sesame@db1:6543,db2/fleets";
  expect(heldSecrets({ ...configuration, apiKey: undefined, ledger: several })).toEqual([several, "sesame"]);
});

test.each([
  ...["mysql://me:sesame@db/fleets", "postgres:me:sesame@db", "jdbc:postgresql://me:sesame@db/fleets"],
  ...['"postgres://me:sesame@db/fleets"', " postgres://me:sesame@db/fleets", "'postgres:me:sesame@db'"],
])("a URL of something else is no path, and is not shown: %s", (ledger) => {
  const read = () => configuredLedger({ ledger }, {});
  expect(read).toThrow(/ledger: this URL is none that fleetkeeper knows.*postgres:\/\/USER/);
  expect(read).not.toThrow(/sesame/);
});
