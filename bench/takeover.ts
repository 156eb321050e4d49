import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { PostgresServer } from "../proof/postgres/server.ts";
import { createSimulator, DEFAULT_API_KEY, dialectProfilePath } from "../simulator/index.ts";
import type { Figure } from "./figure.ts";

/*
 * An agent's process that keeps an account of a ledger in PostgreSQL is killed, time after time, while another one
 * stands by. How long it takes until that one keeps the account.
 */

const KILLS = 10;
const LIMIT_S = 10;
const script = `${import.meta.dirname}/../test/agent/standby-child.ts`;

// It ends with this process.
const server = await PostgresServer.start();
const url = server.urlOf(await server.create());
const simulator = createSimulator({ seed: 7 });
const { url: baseUrl } = await simulator.listen();
const wish = {
  gpus: 8,
  candidates: [{ offer: "h100-80gb-x8", provider: "aurora", location: "fi-hel", gpus: 8 }],
};
const protocol = { poll: 1000 };
const given = { baseUrl, apiKey: DEFAULT_API_KEY, profile: dialectProfilePath("plain"), url, protocol, wish };

function agent() {
  const child = spawn(process.execPath, ["--no-warnings", script, JSON.stringify(given)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    kill: () => child.kill("SIGKILL"),
    async says(text: string): Promise<void> {
      for (;;) {
        const { value, done } = await lines.next();
        if (done) throw new Error(`an agent ended before it said: ${text}`);
        if (value === text) return;
      }
    },
  };
}

let keeper = agent();
await keeper.says("keeps");
const seconds: number[] = [];
for (let kill = 0; kill < KILLS; kill++) {
  const next = agent();
  await next.says("stands by");
  // So that it meets renewals, ticks and looks at different moments.
  await sleep(kill * 170);
  const begun = performance.now();
  keeper.kill();
  await next.says("keeps");
  seconds.push((performance.now() - begun) / 1000);
  keeper = next;
}
keeper.kill();
await simulator.close();
seconds.sort((one, other) => one - other);
const what = "from an agent's death until another one keeps its account in PostgreSQL";
const figure = (which: string, measured = 0): Figure => ({
  what: `${what}, ${which}`,
  measured: `${measured.toFixed(1)} s`,
  against: `${LIMIT_S} s`,
  ratio: measured / LIMIT_S,
  toReach: "<= 1",
});
process.stdout.write(
  JSON.stringify([
    figure(`half of ${KILLS}`, seconds[seconds.length >> 1]),
    figure("the worst of them", seconds.at(-1)),
  ]),
);
