import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { callCli } from "../cli/cli.ts";

const PROFILES = join(import.meta.dirname, "../../profiles");
const FOLDERS = readdirSync(PROFILES, { withFileTypes: true }).filter((each) => each.isDirectory());

test.each(FOLDERS.map(({ name }) => name))(
  "%s: each request is the recorded one, and each answer is read",
  async (name) => {
    const { code, said } = await callCli(["profile", "check", join(PROFILES, name)], PROFILES, {});
    expect([code, said]).toEqual([0, expect.stringContaining("Each request is the recorded one")]);
  },
);

test("the page of profiles names each of them, and what was tried", () => {
  const page = readFileSync(join(PROFILES, "README.md"), "utf8");
  for (const { name } of FOLDERS) {
    const tried = /^tried: (.*)$/m.exec(readFileSync(join(PROFILES, name, "about.yaml"), "utf8"))?.[1];
    expect(page).toMatch(new RegExp(`^\\| \\[${name}\\]\\(${name}\\) \\| .* \\| ${tried} \\|$`, "m"));
  }
});

/** A copy of a folder in which one file is another one. */
function changed(
  file: string,
  change: (text: string) => string | undefined,
  name = "simulated-nested",
): string {
  const folder = mkdtempSync(join(tmpdir(), "fleetkeeper-profile-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(join(PROFILES, name), folder, { recursive: true });
  const path = join(folder, file);
  const text = change(readFileSync(path, "utf8"));
  if (text === undefined) rmSync(path);
  else writeFileSync(path, text);
  return folder;
}

const replaced =
  (what: string | RegExp, by: string) =>
  (text: string): string => {
    const after = text.replace(what, by);
    if (after === text) throw new Error(`nothing to change: ${what}`);
    return after;
  };

test.each<
  [what: string, file: string, change: (text: string) => string | undefined, code: number, says: string]
>([
  [
    "another header",
    "profile.yaml",
    replaced("header: Authorization", "header: X-Key"),
    1,
    'account.txt: the profile sends "x-key: Bearer $KEY", and the recorded request has no header x-key',
  ],
  [
    "a field of the launch under another name",
    "profile.yaml",
    replaced('region: "{location}"', 'zone: "{location}"'),
    1,
    "launch.txt: launch.body at /deployment/placement/region: the recorded request has it, and the profile does not send it",
  ],
  [
    "a text of the launch that differs",
    "profile.yaml",
    replaced("title: fleet {offer}", "title: squad {offer}"),
    1,
    'launch.body at /deployment/title: the profile sends "squad {offer}", and the recorded request has "fleet h100-80gb-x8"',
  ],
  [
    "another value in two places",
    "answers/launch.txt",
    replaced('"title":"fleet h100-80gb-x8"', '"title":"fleet a100"'),
    1,
    '{offer} is "h100-80gb-x8" here, and "a100" elsewhere',
  ],
  [
    "another page size",
    "profile.yaml",
    replaced("size: 20", "size: 50"),
    1,
    "the profile asks GET /api/v1/deployments, with the query",
  ],
  [
    "a list elsewhere in the answer",
    "profile.yaml",
    replaced("items: /data/items", "items: /items"),
    1,
    "/items",
  ],
  [
    "a stop that goes elsewhere",
    "profile.yaml",
    replaced("/api/v1/deployments/{id}/state", "/api/v1/deployments/{id}/stop"),
    1,
    "the profile stops by PUT /api/v1/deployments/{id}/stop, and the recorded request is PUT /api/v1/deployments/",
  ],
  [
    "another meaning of a field",
    "profile.yaml",
    replaced("gpus: /offer/gpu_count", "gpus: /offer/count"),
    1,
    "reads.json is not what the profile reads",
  ],
  [
    "an answer that changed",
    "answers/balance.txt",
    replaced(/\d+\.\d{4}/, "1.0000"),
    1,
    "reads.json is not what the profile reads",
  ],
  [
    "an answer that nothing asks for",
    "answers/account.txt",
    (text) => `${text}\n${text.replace("/account", "/account/limits")}`,
    1,
    "answers/account.txt: by this profile nothing asks GET /api/v1/account/limits",
  ],
  [
    "a credential that was saved",
    "answers/account.txt",
    replaced("$KEY", "sk-live-8127"),
    1,
    "$KEY stands for the credential, which is never saved",
  ],
  ["a part that is not recorded", "answers/stop.txt", () => undefined, 1, "reads.json"],
  [
    "an answer alone",
    "answers/account.txt",
    replaced(/^\$ curl.*\n/, ""),
    2,
    "account.txt has an answer without its request",
  ],
  [
    "a request alone",
    "answers/account.txt",
    replaced(/\nHTTP[\s\S]*/, "\n"),
    2,
    "account.txt has a request without the status line of its answer",
  ],
  [
    "a request elsewhere",
    "answers/account.txt",
    replaced("/api/v1/", "/v2/"),
    2,
    "which has no /api/v1 in it",
  ],
  ["no word on what was tried", "about.yaml", replaced(/tried: .*\n/, ""), 2, "about.yaml"],
  ["a boast", "about.yaml", replaced(/tried: .*/, "tried: everything"), 2, "tried"],
  [
    "a body that stands in a file",
    "answers/launch.txt",
    replaced(/-d '[^']*'/, "-d @launch.json"),
    2,
    "launch.txt has a request whose body is no JSON",
  ],
  ["no profile", "profile.yaml", () => undefined, 2, "profile.yaml cannot be read"],
])("%s is told, with the file", async (_, file, change, code, says) => {
  const run = await callCli(["profile", "check", changed(file, change)], PROFILES, {});
  expect([run.code, run.said]).toEqual([code, expect.stringContaining(says)]);
  expect(run.said).not.toContain("sk-live-8127");
});

test("what a profile leaves out is named, and what no answer shows", async () => {
  const without = changed("profile.yaml", replaced(/\nstop:[\s\S]*?\n\n/, "\n\n"));
  expect((await callCli(["profile", "check", without], PROFILES, {})).said).toContain(
    "not in the profile: stop",
  );
  const unshown = changed("answers/offers.txt", () => undefined);
  expect((await callCli(["profile", "check", unshown], PROFILES, {})).said).toContain("not recorded: offers");
});

test("--write writes what the profile reads, for the next check to hold it to", async () => {
  const folder = changed("reads.json", () => undefined);
  expect((await callCli(["profile", "check", folder], PROFILES, {})).said).toContain(
    "reads.json is not what the profile reads",
  );
  expect((await callCli(["profile", "check", folder, "--write"], PROFILES, {})).code).toBe(0);
  expect((await callCli(["profile", "check", folder], PROFILES, {})).code).toBe(0);
  expect(readFileSync(join(folder, "reads.json"), "utf8")).toBe(
    readFileSync(join(PROFILES, "simulated-nested", "reads.json"), "utf8"),
  );
});
