import { expect, test } from "vitest";
import { dialectText, visit, world } from "./doctor-support.ts";

const SAID = "    missing: { statuses: [400], codes: [no_such_machine] }\n";

async function asked(change: (text: string) => string) {
  const { clock, simulator } = await world("elsewhere");
  return visit({ clock, transport: simulator.transport, profile: change(dialectText("elsewhere")) });
}

test("how it is said that there is no such deployment was held against a listed one", async () => {
  const { check } = await asked((text) => text);
  expect(check("operation.missing")).toMatchObject({
    level: "ok",
    says: expect.stringMatching(/an id that cannot exist is answered so, and .*, which is listed, is not/),
  });
});

test("an answer that the profile does not name is named, with the line to add", async () => {
  const { check, report } = await asked((text) => text.replace(SAID, ""));
  expect(check("operation.missing")).toMatchObject({
    level: "warning",
    says: expect.stringContaining("answered with 400 no_such_machine, and not with 404"),
    remedy: { lines: [expect.stringContaining(SAID.trim())] },
  });
  expect(report.exitCode).toBe(0);
});

test("a word that no id is answered with is a problem", async () => {
  const { check, report } = await asked((text) => text.replace(SAID, SAID.replace("no_such", "other")));
  expect(check("operation.missing")).toMatchObject({
    level: "problem",
    says: expect.stringContaining("deployments.get.missing is not believed"),
  });
  expect(report.exitCode).toBe(1);
});

test("nothing is said of it where a 404 says it", async () => {
  const { clock, simulator } = await world("plain");
  const { report } = await visit({ clock, transport: simulator.transport, profile: dialectText("plain") });
  expect(report.checks.map(({ id }) => id)).not.toContain("operation.missing");
});
