// @module-tag repeats
import { describe, expect, it, onTestFinished } from "vitest";
import { sharedServer, TestServer } from "../../support/postgres.ts";
import { builtJudge, HISTORIES, type Line, startAll } from "./histories.ts";
import { mayMakeNetworks, network, type Way } from "./network.ts";

/*
 * A history of processes on hosts whose network loses what is sent, one way or both, and tells nobody. It is judged as those of
 * histories.test.ts are. By hand: HISTORIES=200.
 */
/** Whoever waits for the account waits until the server ends who holds it and is cut off. */
const TIMES = { lock: 8_000, statement: 9_000, idle: 3_000, connect: 2_000, patience: 10_000, look: 20_000 };
const WAYS: readonly Way[] = ["there", "back", "both"];

const judged = await builtJudge();
const isPossible = judged && mayMakeNetworks() && (await sharedServer()) !== undefined;

/** Each of three hosts is cut off, most often in a decision, until the others have decided for long. */
async function played(): Promise<readonly Line[]> {
  const { server: under, cables } = await network(WAYS.length + 1);
  const server = await TestServer.start(under, ["--listen", "*"]);
  onTestFinished(() => server.end());
  const name = await server.create();
  const processes = cables.map(({ address }, at) => ({
    ...{ url: `postgres://postgres@${address}:${server.port}/${name}?sslmode=disable`, number: at + 1 },
    times: TIMES,
  }));
  const { more, history } = startAll(processes, (number) => cables[number - 1]?.under ?? []);
  await more(10);
  for (const [at, way] of WAYS.entries()) {
    cables[at]?.cut(way);
    await more(10);
    cables[at]?.heal();
  }
  return history();
}

describe.skipIf(!isPossible)("a history of four hosts whose network falls silent", () => {
  it.each(HISTORIES)("goes on without whoever is cut off, and is explained by one order (%i)", async () => {
    expect(judged?.(await played())).toMatchObject({ holds: true });
  });
});
