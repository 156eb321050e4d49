import { expect, test } from "vitest";
import { alive, FLEET, place } from "./cli.ts";

const SERVICE = (url: string): string => `service:\n  baseUrl: ${url}\n  account: exclusive\n`;
/** What the tests' environment says else: here the file does. */
const ELSEWHERE = { FLEETKEEPER_BASE_URL: "", FLEETKEEPER_ACCOUNT: "" };

test("what declares nothing works beside a mistake among the fleets, and tells it", async () => {
  const on = await place();
  const good = SERVICE(on.url) + FLEET;
  on.write("fleet.yaml", good);
  await on.run(["agent", "--once"], ELSEWHERE);
  expect(alive(on)).not.toEqual([]);
  const bad = good.replace("gpus: 16", "gpus: sixteen");
  on.write("fleet.yaml", bad);
  const mistake =
    /^fleet\.yaml:6:11 fleets\.0\.gpus: .*\nfleet\.yaml: its fleets are not read because of that\./;
  for (const args of [["status"], ["deployments", "list"], ["spend"]]) {
    const ran = await on.run(args, ELSEWHERE);
    expect(ran, args.join(" ")).toMatchObject({ code: 0, stderr: expect.stringMatching(mistake) });
    expect(ran.stdout).not.toBe("");
  }
  const stopped = await on.run(["stop", "--all", "--yes"], ELSEWHERE);
  expect(stopped).toMatchObject({ code: 0, stderr: expect.stringMatching(mistake) });
  expect(alive(on)).toEqual([]);
});

test("what keeps or plans fleets refuses it", async () => {
  const on = await place();
  on.write("fleet.yaml", SERVICE(on.url) + FLEET.replace("gpus: 16", "gpus: sixteen"));
  for (const args of [["agent", "--once"], ["plan"], ["agent", "--dry-run", "--once"], ["doctor"]]) {
    const ran = await on.run(args, ELSEWHERE);
    expect(ran, args.join(" ")).toMatchObject({ code: 2, stderr: expect.stringContaining("fleets.0.gpus") });
    expect(ran.stderr).not.toContain("its fleets are not read");
  }
});

test.each([
  ["where the service is", (text: string) => text.replace("baseUrl: http", "baseUrl: ftp")],
  ["a key that nobody knows", (text: string) => text.replace("service:", "servce:")],
  ["the form of the file", (text: string) => `${text}\n: - {`],
])("a mistake in %s is no matter of the fleets: nothing goes on", async (_, spoil) => {
  const on = await place();
  on.write("fleet.yaml", spoil(SERVICE(on.url) + FLEET.replace("gpus: 16", "gpus: sixteen")));
  const ran = await on.run(["status"], ELSEWHERE);
  expect(ran.code).toBe(2);
  expect(ran.stderr).not.toContain("its fleets are not read");
});
