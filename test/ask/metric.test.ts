import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Agent } from "undici";
import { describe, expect, onTestFinished, test } from "vitest";
import { measuring } from "../../agent/ask/metric.ts";
import type { Measured } from "../../agent/fleet/size/metric.ts";
import { type Metric, metricSchema } from "../../agent/fleet/wish/metric-wish.ts";

const RANGE = { min: 0, max: 64, at: 8 };
const NEVER = new AbortController().signal;

interface Asked {
  readonly url: string;
  readonly authorization: string | undefined;
}

/** A server with one answer, and what it was asked. */
async function server(answer: string | ((request: IncomingMessage) => string | undefined), status = 200) {
  const asked: Asked[] = [];
  const http = createServer((request, response) => {
    asked.push({ url: request.url ?? "", authorization: request.headers.authorization });
    const said = typeof answer === "string" ? answer : answer(request);
    if (said !== undefined) response.writeHead(status).end(said);
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    http.closeAllConnections();
    http.close();
  });
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}`, asked };
}

async function measure(
  metric: Partial<Metric>,
  more: { readonly source?: string; readonly environment?: Record<string, string> } = {},
): Promise<string> {
  const agent = new Agent();
  onTestFinished(() => agent.destroy());
  const { source = "file:/nowhere/fleet.yaml", environment = {} } = more;
  const asks = measuring({ agent, environment: { PATH: process.env.PATH, ...environment } });
  const of = { name: "training", source, metric: metricSchema.parse({ ...metric, ...RANGE }) };
  const measured: Measured = await asks(of, NEVER);
  return measured.kind === "value" ? measured.value : measured.why;
}

const vector = (...values: readonly string[]): string =>
  JSON.stringify({
    status: "success",
    data: { resultType: "vector", result: values.map((value) => ({ metric: {}, value: [1.5, value] })) },
  });

describe("a query to Prometheus", () => {
  test("is asked as its HTTP API says, and its one number counts", async () => {
    const { url, asked } = await server(vector("12.5"));
    expect(await measure({ prometheus: { url: `${url}/prometheus/`, query: 'sum(x{a="b c"})' } })).toBe(
      "12.5",
    );
    expect(asked.map((each) => decodeURIComponent(each.url))).toEqual([
      '/prometheus/api/v1/query?query=sum(x{a="b+c"})',
    ]);
  });

  test.each([
    ["a scalar", '{"data":{"resultType":"scalar","result":[1.5,"3"]}}', "3"],
    ["1e+06", vector("1e+06"), "1000000"],
    ["several series", vector("1", "2"), /^the query has 2 series as its answer, and one number is needed/],
    ["no series", vector(), /^the query has no series as its answer/],
    ["NaN, as of 0/0", vector("NaN"), 'it says "NaN", which is no finite number'],
    ["infinity", vector("+Inf"), 'it says "+Inf", which is no finite number'],
    ["a matrix", '{"data":{"resultType":"matrix","result":[]}}', /it is matrix$/],
    ["another service's JSON", "[]", /it is none$/],
    ["a page", "<html>", "the answer is no JSON"],
    ["nothing", "", "the answer is no JSON"],
  ])("that answers %s", async (_, answer, says) => {
    const { url } = await server(answer);
    const said = await measure({ prometheus: { url, query: "x" } });
    if (typeof says === "string") expect(said).toBe(says);
    else expect(said).toMatch(says);
  });
});

describe("a GET", () => {
  test.each([
    ["a number", '{"queue":{"length":7}}', "7"],
    ["a text that is a number", '{"queue":{"length":" 7.50 "}}', "7.5"],
    ["a number below 0", '{"queue":{"length":-1}}', 'it says "-1", which is less than 0'],
    ["one that is too large", '{"queue":{"length":1e999}}', 'it says "Infinity", which is no finite number'],
    ["a text", '{"queue":{"length":"many"}}', 'it says "many", which is no number'],
    ["an empty text", '{"queue":{"length":""}}', 'it says "", which is no number'],
    ["a number that goes on for ever", `{"queue":{"length":"0.${"1".repeat(90)}"}}`, /which is no number$/],
    ["hexadecimal", '{"queue":{"length":"0x10"}}', 'it says "0x10", which is no number'],
    ["null", '{"queue":{"length":null}}', "there is null at /queue/length"],
    ["true", '{"queue":{"length":true}}', "there is no number at /queue/length"],
    ["nothing there", '{"queue":{}}', "there is nothing at /queue/length"],
  ])("that answers %s", async (_, answer, says) => {
    const { url } = await server(answer);
    const said = await measure({ http: { url, pointer: "/queue/length" } });
    if (typeof says === "string") expect(said).toBe(says);
    else expect(said).toMatch(says);
  });

  test("that is refused, or goes elsewhere, says nothing", async () => {
    const refused = await server("7", 503);
    expect(await measure({ http: { url: refused.url, pointer: "" } })).toBe("answered HTTP 503");
    const moved = await server("7", 302);
    expect(await measure({ http: { url: moved.url, pointer: "" } })).toMatch(/redirects are not followed/);
    expect(await measure({ http: { url: "http://127.0.0.1:1", pointer: "" } })).toMatch(/ECONNREFUSED/);
  });

  test("of a stack or the API is read from the hosts that whoever runs the agent names, and from no other", async () => {
    const { url, asked } = await server("7");
    const metric = { http: { url, pointer: "" } };
    const environment = { FLEETKEEPER_METRIC_HOSTS: `prometheus:9090, ${new URL(url).host}` };
    for (const source of ["api:", "stack:p/s/n#1"]) {
      expect(await measure(metric, { source })).toMatch(/FLEETKEEPER_METRIC_HOSTS/);
      expect(await measure({ prometheus: { url, query: "x" } }, { source })).toMatch(/is not among them/);
      expect(asked).toEqual([]);
      expect(await measure(metric, { source, environment })).toBe("7");
      asked.pop();
    }
    expect(await measure(metric, { source: "program:/here" })).toBe("7");
  });

  test("sends the secret of a variable, for fleets of a file, and never for those of a stack", async () => {
    const { url, asked } = await server("7");
    const metric = { http: { url, pointer: "", secret: { env: "QUEUE_TOKEN" } } };
    const environment = { QUEUE_TOKEN: "Bearer hush", FLEETKEEPER_METRIC_HOSTS: new URL(url).host };
    expect(await measure(metric, { environment })).toBe("7");
    expect(await measure(metric)).toMatch(/QUEUE_TOKEN is not set/);
    expect(await measure(metric, { environment, source: "stack:p/s/n#1" })).toMatch(/of a fleet file only/);
    expect(asked.map(({ authorization }) => authorization)).toEqual(["Bearer hush"]);
  });
});

describe.skipIf(process.platform === "win32")("a command", () => {
  function script(body: string): { readonly source: string } {
    const folder = mkdtempSync(join(tmpdir(), "fleetkeeper-metric-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    writeFileSync(join(folder, "queue.sh"), `#!/bin/sh\n${body}\n`, { mode: 0o755 });
    return { source: `file:${join(folder, "fleet.yaml")}` };
  }
  const metric: Partial<Metric> = { command: ["./queue.sh", "now"] };

  test.each([
    ["prints a number", 'echo "$FLEETKEEPER_FLEET" | wc -c', "9"],
    ["prints another thing, too", 'echo "7 jobs"', 'it says "7 jobs", which is no number'],
    ["prints nothing", "true", 'it says "", which is no number'],
    ["fails after it printed one", "echo 7; exit 3", "./queue.sh: it ended with 3: 7"],
  ])("that %s", async (_, body, says) => {
    const said = await measure(metric, script(body));
    expect(said.replace(/^\S*queue\.sh/, "./queue.sh")).toBe(says);
  });

  test("of a stack is run where FLEETKEEPER_COMMANDS says, and else nowhere", async () => {
    expect(await measure(metric, { source: "stack:p/s/n#1" })).toMatch(/here it names none/);
  });
});
