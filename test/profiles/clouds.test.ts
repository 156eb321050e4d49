import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { cloudOf } from "../../agent/cli/clouds/cloud.ts";
import { rowOf } from "../../agent/cli/commands/start/clouds.ts";
import { parseFleetFile } from "../../agent/fleet/file/fleet-file.ts";
import { abilitiesOf } from "../../service/profile/abilities.ts";
import { callOf, callText, placeholdersInCall } from "../../service/profile/calls.ts";
import type { WireProfile } from "../../service/profile/profile.ts";
import { loadProfile } from "../../service/profile/profile-file.ts";
import { shippedNames } from "../../service/profile/shipped.ts";
import { DIALECT_NAMES } from "../../simulator/index.ts";

/*
 * What holds for each service whose profile ships. That its requests and answers fit what is recorded is held by
 * profiles.test.ts, for all folders.
 */
const ROOT = join(import.meta.dirname, "../..");
const CLOUDS = shippedNames();
const fileOf = (name: string, file: string) => join(ROOT, "profiles", name, file);
const textOf = (name: string, file: string) => readFileSync(fileOf(name, file), "utf8");

/** Every statement that costs money if it is wrong: where it is in a profile, its README says what it rests on. */
function dangerousIn(profile: WireProfile): readonly string[] {
  const there = JSON.parse(JSON.stringify(profile));
  const none = (part: string) => there[part]?.none === true;
  const given: Readonly<Record<string, unknown>> = {
    "account: none": none("account"),
    "balance: none": none("balance"),
    "pagination: none": there.deployments?.list?.pagination.kind === "none",
    "deployments.records": there.deployments?.records,
    "deployments.ended: unlisted": there.deployments?.ended,
    "get.missing": there.deployments?.get?.missing,
    "states.terminal": there.deployments?.states?.terminal?.length,
    "states.replace": there.deployments?.states?.replace?.length,
    "launch.mayVanish": there.launch?.mayVanish,
    "launch.refusals": there.launch?.refusals,
    "launch.accepted": there.launch?.accepted,
    "errors.definite": there.errors?.definite?.statuses?.length || there.errors?.definite?.codes?.length,
    "errors.soldOut": there.errors?.soldOut,
    "stop.gone": there.stop?.gone?.statuses?.length || there.stop?.gone?.codes?.length,
    currency: there.currency,
    billing: there.billing,
  };
  return Object.keys(given).filter((name) => given[name]);
}

/** `parameters.image` of `{parameters.image}`, anywhere in what is sent. */
function asked(profile: WireProfile): readonly string[] {
  const calls = (["account", "balance", "offers", "list", "get", "launch", "stop"] as const).flatMap(
    (name) => {
      const call = callOf(profile, name as "list");
      return call ? placeholdersInCall(call) : [];
    },
  );
  const auth = JSON.stringify(profile.auth ?? {}).matchAll(/\{(settings\.[\w-]+)\}/g);
  const all = [...calls, ...[...auth].map(([, name = ""]) => name)];
  return [...new Set(all)].filter((name) => /^(parameters|settings)\./.test(name)).sort();
}

test("profiles that ship are of services, and no dialect is among them", () => {
  expect(CLOUDS.length).toBeGreaterThan(0);
  for (const name of DIALECT_NAMES) expect(CLOUDS).not.toContain(`simulated-${name}`);
});

test("the page of clouds has the table that fleetkeeper clouds prints", () => {
  const page = readFileSync(join(ROOT, "docs/reference/clouds.md"), "utf8");
  const rows = page.split("\n").filter((line) => line.startsWith("| ["));
  expect(rows).toEqual(
    CLOUDS.map((name) => {
      const [, ...cells] = rowOf(name);
      return `| [${name}](../../profiles/${name}/README.md) | ${cells.join(" | ")} |`;
    }),
  );
});

test.each(CLOUDS)("%s: its profile is found by its name, and is called so", (name) => {
  const { profile, file } = loadProfile(name);
  expect([profile.name, profile.profile, file]).toEqual([name, 2, `profiles/${name}/profile.yaml`]);
});

test.each(CLOUDS)(
  "%s: launch, get, list and stop are stated, and a marker or an exclusive account",
  (name) => {
    const { profile } = loadProfile(name);
    const { marker, launch, stop, get } = abilitiesOf(profile);
    // Without a call for one machine, lists alone say what is there: the page says so.
    const isAlone = textOf(name, "README.md").includes("| an unknown id | no call shows one machine");
    expect([launch, stop, get, profile.deployments?.list !== undefined]).toEqual([
      true,
      true,
      !isAlone,
      true,
    ]);
    const { account } = parseFleetFile(textOf(name, "fleet.yaml"), fileOf(name, "fleet.yaml")).configuration;
    expect(account).toBe(marker ? "shared" : "exclusive");
  },
);

test.each(CLOUDS)("%s: what it asks people is what the profile needs of them", (name) => {
  const needed = asked(loadProfile(name).profile);
  const { asks, baseUrl } = cloudOf(name);
  expect(asks.map(({ placeholder }) => placeholder).sort()).toEqual(needed);
  for (const { as, question } of asks)
    expect(JSON.stringify(as ?? "{answer}")).toContain(question === undefined ? "{machine}" : "{answer}");
  const { configuration, fleets } = parseFleetFile(textOf(name, "fleet.yaml"), fileOf(name, "fleet.yaml"));
  expect([configuration.baseUrl, configuration.profile]).toEqual([baseUrl, name]);
  for (const { wish } of fleets)
    expect(
      Object.keys(wish.parameters ?? {})
        .map((each) => `parameters.${each}`)
        .sort(),
    ).toEqual(needed.filter((each) => each.startsWith("parameters.")));
});

test.each(CLOUDS)(
  "%s: the page says what each dangerous statement rests on, and what nobody knows",
  (name) => {
    const page = textOf(name, "README.md");
    const lines = page.split("\n");
    for (const statement of dangerousIn(loadProfile(name).profile))
      expect(
        lines.filter((line) => line.startsWith("- ") && line.includes(`\`${statement}\``)),
        statement,
      ).not.toEqual([]);
    for (const row of [
      "marker",
      "account",
      "balance",
      "a list shows what ended",
      "first billed moment",
      "a stopped machine",
      "an unknown id",
    ])
      expect(page).toMatch(new RegExp(`^\\| ${row} \\| .+ \\|$`, "m"));
    expect(page).toContain("## What the document does not say");
    expect(page).toContain("## What only a key can answer");
    const tried = /^tried: (.*)$/m.exec(textOf(name, "about.yaml"))?.[1];
    expect(page.includes("**Untried against the live service.**")).toBe(tried === "document");
  },
);

test.each(CLOUDS)(
  "%s: a launch that was accepted, one that was refused, an unknown id and a stop are recorded",
  (name) => {
    for (const file of ["launch", "refused", "deployments", "stop"])
      expect(existsSync(fileOf(name, `answers/${file}.txt`)), file).toBe(true);
    const { profile } = loadProfile(name);
    const { account, balance, offers } = profile;
    const { get } = abilitiesOf(profile);
    const isOne = callText(profile, "account") === callText(profile, "balance");
    const shown = {
      ...{ account: account && "id" in account, balance: balance && "amount" in balance && !isOne, offers },
      ...{ deployment: get, "no-such-deployment": get },
    };
    for (const [file, isShown] of Object.entries(shown))
      expect(existsSync(fileOf(name, `answers/${file}.txt`)), file).toBe(Boolean(isShown));
  },
);
