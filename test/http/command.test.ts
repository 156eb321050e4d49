import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { runCli } from "../../agent/cli/program.ts";
import type { Simulation } from "../../simulator/index.ts";
import { startSimulation } from "../../simulator/index.ts";

let simulation: Simulation;
let folder: string;
beforeAll(async () => {
  simulation = await startSimulation({ port: 0, controlPort: 0 });
  folder = mkdtempSync(join(tmpdir(), "fleetkeeper-http-"));
});
afterAll(async () => {
  await simulation.close();
  rmSync(folder, { recursive: true, force: true });
});

interface Run {
  readonly printed: string[];
  readonly told: string[];
  readonly code: Promise<number>;
  stop(): void;
  /** Resolves with the first line that holds this text. */
  line(text: string): Promise<string>;
}

let ledgers = 0;
function agent(args: readonly string[], environment: Readonly<Record<string, string>> = {}): Run {
  const aborting = new AbortController();
  const printed: string[] = [];
  const told: string[] = [];
  const watchers: (() => void)[] = [];
  const into = (lines: string[]) => (text: string) => {
    lines.push(text);
    for (const each of watchers) each();
  };
  const code = runCli(["agent", ...args], "1.2.3", {
    environment: {
      FLEETKEEPER_BASE_URL: simulation.url,
      FLEETKEEPER_PROFILE: simulation.profilePath,
      FLEETKEEPER_API_KEY: simulation.apiKey,
      FLEETKEEPER_ACCOUNT: "exclusive",
      FLEETKEEPER_LEDGER: join(folder, `ledger-${++ledgers}.db`),
      ...environment,
    },
    signal: aborting.signal,
    print: into(printed),
    tell: into(told),
    color: false,
  });
  return {
    printed,
    told,
    code,
    stop: () => aborting.abort(new Error("stopped")),
    line: (text) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = [...printed, ...told].find((line) => line.includes(text));
          if (found) resolve(found);
        };
        watchers.push(look);
        look();
        void code.then((ended) =>
          reject(new Error(`ended with ${ended}: ${[...printed, ...told].join("\n")}`)),
        );
      }),
  };
}

const urlIn = (line: string): string => /http:\S+/.exec(line)?.[0] ?? "";

it("serves while it keeps, says where, and is gone when it ends", async () => {
  const run = agent(["--http", "127.0.0.1:0"]);
  const url = urlIn(await run.line("status page:"));
  expect(await (await fetch(url)).text()).toContain("fleetkeeper 1.2.3");
  expect((await fetch(`${url}healthz`)).status).toBe(200);
  run.stop();
  expect(await run.code).toBe(0);
  await expect(fetch(url)).rejects.toThrow();
});

it("takes the address from the environment too, and nothing with --no-http, off or --once", async () => {
  const run = agent([], { FLEETKEEPER_HTTP: "127.0.0.1:0" });
  expect((await fetch(urlIn(await run.line("status page:")))).status).toBe(200);
  run.stop();
  await run.code;
  for (const [args, environment] of [
    [["--no-http"], {}],
    [[], { FLEETKEEPER_HTTP: "off" }],
  ] as const) {
    const silent = agent(args, environment);
    await silent.line("fleetkeeper agent: account");
    silent.stop();
    await silent.code;
    expect([...silent.printed, ...silent.told].join("\n")).not.toContain("status page");
  }
  const file = join(folder, "http");
  writeFileSync(file, "off\n");
  const byFile = agent([], { FLEETKEEPER_HTTP_FILE: file });
  await byFile.line("fleetkeeper agent: account");
  byFile.stop();
  await byFile.code;
  expect([...byFile.printed, ...byFile.told].join("\n")).not.toContain("status page");
  const once = agent(["--once", "--http", "127.0.0.1:0"]);
  expect(await once.code).toBe(0);
  expect(once.printed.join("\n")).not.toContain("status page");
});

it("ends with 2 and the remedy where the port that was asked for is taken", async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, "127.0.0.1", resolve));
  const { port } = taken.address() as AddressInfo;
  const run = agent(["--http", `127.0.0.1:${port}`]);
  expect(await run.code).toBe(2);
  expect(run.told.join("\n")).toMatch(
    /cannot be had: another process listens there\. Name another address with --http/,
  );
  await new Promise((resolve) => taken.close(resolve));
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

it("answers probes while it waits for its service, then serves the page, and ends with 0 at any time", async () => {
  const [http, service] = [await freePort(), await freePort()];
  const environment = {
    FLEETKEEPER_BASE_URL: `http://127.0.0.1:${service}`,
    FLEETKEEPER_PROTOCOL: '{"poll": 200}',
  };
  const run = agent(["--http", `127.0.0.1:${http}`], environment);
  await run.line("Tried again until it answers");
  const at = (path: string): Promise<Response> => fetch(`http://127.0.0.1:${http}${path}`);
  await expect.poll(async () => (await at("/healthz").catch(() => undefined))?.status).toBe(200);
  const ready = await at("/readyz");
  expect({ status: ready.status, text: await ready.text() }).toEqual({
    status: 503,
    text: "not ready: waiting for the service to answer for the first time\n",
  });
  expect((await at("/")).status).toBe(503);
  expect((await fetch(`http://127.0.0.1:${http}/healthz`, { method: "POST" })).status).toBe(405);
  const second = agent(["--http", `127.0.0.1:${http}`], environment);
  expect(await second.code).toBe(2);
  const other = agent(["--no-http"], environment);
  await other.line("Tried again until it answers");
  other.stop();
  expect(await other.code).toBe(0);
  const late = await startSimulation({ port: service, controlPort: 0 });
  await run.line("status page:");
  expect(await (await at("/")).text()).toContain("fleetkeeper 1.2.3");
  run.stop();
  expect(await run.code).toBe(0);
  await late.close();
});

it("keeps on without a page where only the default port is taken: machines matter more", async () => {
  const taken = createServer();
  // If somebody else has it, it is taken all the same; but an agent of another test may end just then.
  let line: string;
  do {
    await new Promise<void>((resolve) => {
      taken.once("error", () => resolve());
      if (taken.listening) resolve();
      else taken.listen(9470, "127.0.0.1", resolve);
    });
    const run = agent([]);
    line = await Promise.race([run.line("There is no status page"), run.line("status page:")]);
    run.stop();
    expect(await run.code).toBe(0);
  } while (!taken.listening && !line.includes("There is no status page"));
  expect(line).toContain("another process listens there");
  await new Promise((resolve) => taken.close(resolve));
});

it("ends with 2 and the remedy where others could reach it and there is no token; serves with one, from a file too", async () => {
  const bare = agent(["--http", "0.0.0.0:0"]);
  expect(await bare.code).toBe(2);
  expect(bare.told.join("\n")).toContain("FLEETKEEPER_HTTP_TOKEN");
  const file = join(folder, "token");
  const token = "0123456789abcdef0123456789abcdef";
  writeFileSync(file, `${token}\n`);
  // On the loopback here, as these tests open nothing to others: the rule is the same once a token is set.
  const run = agent(["--http", "127.0.0.1:0"], { FLEETKEEPER_HTTP_TOKEN_FILE: file });
  const url = urlIn(await run.line("status page:"));
  expect((await fetch(url)).status).toBe(401);
  expect((await fetch(url, { headers: { authorization: `Bearer ${token}` } })).status).toBe(200);
  expect([...run.printed, ...run.told].join("\n")).not.toContain(token);
  run.stop();
  expect(await run.code).toBe(0);
});
