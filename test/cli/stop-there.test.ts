import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { stopAllCommand } from "../../agent/cli/commands/machines/stop-all.ts";
import type { EmergencyKnown } from "../../agent/json/answers.ts";

/* `stop --all` by an agent that says what a test makes it say. */

const LAUNCH = { place: "h100-80gb-x8 @ aurora/fi-hel", detail: "no answer came" };
const NOTHING: EmergencyKnown = {
  ...{ account: "a@b.example", ledger: "ledger.db", list: null, canStop: true },
  ...{ machines: [], launches: [], fleets: [], moves: [], slots: [], drained: ["training"] },
  ...{ doubtful: [], wayOn: null, mayBeOurs: false },
};
const OPEN = { ...NOTHING, launches: [LAUNCH] };

/** What `looks` has is answered one after the other; a number is the status of a failure. The last one stays. */
async function stopAll(looks: readonly (number | EmergencyKnown)[]) {
  const left = [...looks];
  const orders: string[] = [];
  const server = createServer(({ method, url }, response) => {
    const isLook = method === "GET" && url === "/api/v1/account/stop";
    if (method === "POST") orders.push(url ?? "");
    const look = isLook ? (left.length > 1 ? left.shift() : left[0]) : {};
    const said =
      url === "/api/v1/accounts"
        ? {
            version: "0",
            accounts: [{ service: null, account: "a@b.example", problem: null, distrusted: null }],
          }
        : look;
    const failed = typeof said === "number";
    response
      .writeHead(failed ? said : 200, { "content-type": `application/${failed ? "problem+" : ""}json` })
      .end(JSON.stringify(failed ? { title: "t", status: said, detail: `it said ${said}.` } : said));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const printed: string[] = [];
  const told: string[] = [];
  const cli = {
    ...{ environment: {}, signal: new AbortController().signal, color: false },
    print: (text: string) => void printed.push(text),
    tell: (text: string) => void told.push(text),
    agent: { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, token: "fk_x" },
  };
  return stopAllCommand({ all: true, yes: true }, cli).then(
    (code) => ({ code, printed, told, orders }),
    (error: Error) => ({ code: error.message, printed, told, orders }),
  );
}

test("a launch that is not resolved is waited for, and so is an agent that is away meanwhile", async () => {
  const { code, printed, told, orders } = await stopAll([OPEN, OPEN, 503, OPEN, NOTHING]);
  expect(orders).toEqual(["/api/v1/account/stop"]);
  const launch = "a launch of h100-80gb-x8 @ aurora/fi-hel is not resolved yet (no answer came)";
  expect(told.filter((text) => text === launch)).toHaveLength(1);
  expect(told).toContain("it said 503. Tried again until it answers.");
  expect(code).toBe(0);
  expect(printed[0]).toBe("Nothing of ours lives in this account.");
}, 60_000);

test("an agent that does not take the token any more is not asked for ever", async () => {
  expect((await stopAll([OPEN, 401])).code).toContain("does not take the token");
}, 60_000);

test("an agent whose profile cannot stop is not waited for: what runs is named, with what to do", async () => {
  const { code, printed, told, orders } = await stopAll([{ ...OPEN, canStop: false }]);
  expect(orders).toHaveLength(1);
  expect(told.at(-1)).toMatch(/lacks the part "stop".*stopped in the service's dashboard\.$/);
  expect(printed[0]).toBe("Not over yet: 1 unresolved launch.");
  expect(code).toBe(1);
});
