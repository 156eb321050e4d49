import { expect, test } from "vitest";
import { DIALECT_NAMES } from "../../simulator/index.ts";
import { authOnly, dialectText, visit, world } from "./doctor-support.ts";

test.each(DIALECT_NAMES)(
  "an account without deployments is all well, and says what shows later: %s",
  async (dialect) => {
    const { clock, simulator } = await world(dialect, "no machines");
    const { report, check } = await visit({
      clock,
      transport: simulator.transport,
      profile: dialectText(dialect),
    });
    expect(report.exitCode).toBe(0);
    expect(check("deployments.list").says).toMatch(/is empty.*run the doctor again after the first launch/);
    expect(check("deployments.unseen").says).toMatch(/They show once a deployment exists/);
  },
);

test("without deployments the only array is proposed, and called what it is", async () => {
  const { clock, simulator } = await world("plain", "no machines");
  const { check } = await visit({ clock, transport: simulator.transport, profile: authOnly("plain") });
  const { remedy } = check("operation.list");
  expect(remedy?.proposed).toBe(true);
  expect(remedy?.lines?.[2]).toMatch(
    /items: \/deployments {2}# the only array in the answer; it is empty, so look again/,
  );
  expect(check("deployments.unmapped").remedy?.text).toMatch(/once a deployment exists/);
  expect(check("deployments.unmapped").remedy?.proposed).toBeUndefined();
});
