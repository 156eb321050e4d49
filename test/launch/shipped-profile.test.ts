import { expect, test } from "vitest";
import { changeOfShipped } from "../../account/shipped-profile.ts";
import { type LoadedProfile, readProfile } from "../../service/profile/profile-file.ts";
import { LaunchBench } from "./bench.ts";

const TEXT = "profile: 2\nname: acme\ndeployments: { states: { terminal: [ended] } }\n";
const ships = (text: string): LoadedProfile => ({
  ...readProfile(text, "profiles/acme/profile.yaml"),
  shipped: "acme",
});

function opened() {
  const bench = new LaunchBench();
  const open = (loaded: LoadedProfile) => changeOfShipped(bench.ledger, bench.account, loaded, 7);
  const told = async () => bench.ledger.eventsNow(bench.account).map(({ kind, text }) => `${kind}: ${text}`);
  return { open, told };
}

test("an upgrade that changes a profile which ships says what it says now, before anything is done by it", async () => {
  const { open, told } = opened();
  expect(await open(ships(TEXT))).toBeUndefined();
  const other = ships(`${TEXT.replace("ended", "ended, stopped")}limits: { requestsPerSecond: 1 }\n`);
  const says =
    'deployments.states is {"aliases":{},"terminal":["ended","stopped"]}; limits.requestsPerSecond is 1';
  expect(await open(other)).toContain(says);
  expect(await told()).toEqual([expect.stringContaining(`profileChanged: the profile acme, which ships`)]);
  expect(await open(ships(TEXT))).toContain("limits.requestsPerSecond is gone");
});

test("it is said once, and nothing of a comment, of another order or of a file of one's own", async () => {
  const { open, told } = opened();
  await open(ships(TEXT));
  expect(await open(ships(`# as it was\n${TEXT}`))).toBeUndefined();
  expect(await open(readProfile("profile: 2\nname: acme\n", "acme.profile.yaml"))).toBeUndefined();
  expect(await told()).toEqual([]);
});
