import { createServer } from "node:http";
import { parseArgs } from "node:util";

/*
 * A service that answers from memory, for the bench: an account, and lists of deployments that say nothing
 * but what they are told to. It runs in a process of its own, so that its work is not counted as the agent's.
 *
 *   node bench/service.ts RUNNING ENDED     prints its address as one line of JSON, and ends with its input
 *
 * `--marker TEXT`: what runs shows this and its number. `--moving`: each record says another number in each
 * list, which the bench's profile does not read.
 */

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { marker: { type: "string" }, moving: { type: "boolean" } },
});
const [running = 0, ended = 0] = positionals.map(Number);
/** Seconds. */
const FIRST = 1_000_000;
const ACCOUNT = {
  id: "6f9619ff-8b86-4d01-b42d-00cf4fc964ff",
  email: "bench@example.com",
  display_name: "Bench",
  created_at: "2030-01-01T00:00:00.000000Z",
};

function deployment(number: number, status: string): Record<string, unknown> {
  return {
    id: `00000000-0000-4000-8000-${machineNumber(number)}`,
    status,
    offer: "h100-80gb-x1",
    provider: "aurora",
    location: "fi-hel",
    label:
      values.marker === undefined || status !== "running" ? null : `${values.marker}${machineNumber(number)}`,
    created_at: "2030-01-01T00:00:00.000000Z",
    gpus: 1,
    price_per_hour: "2.4900",
    failure_code: null,
    stop_reason: status === "interrupted" ? "interrupted" : null,
    ssh_host: status === "running" ? `10.${number >> 16}.${(number >> 8) & 255}.${number & 255}` : null,
    ssh_port: 22,
    ssh_user: "root",
    ...(values.moving ? { uptime: FIRST } : {}),
  };
}

function machineNumber(number: number): string {
  return String(number).padStart(12, "0");
}

/** Records of one page: an answer may have 16 MB at most. */
const PAGE = 10_000;
const total = ended + running;
const pages = Array.from({ length: Math.max(1, Math.ceil(total / PAGE)) }, (_, page) => {
  const first = page * PAGE;
  const deployments = Array.from({ length: Math.min(PAGE, total - first) }, (_, index) =>
    deployment(first + index, first + index < ended ? "interrupted" : "running"),
  );
  return JSON.stringify({ deployments, total });
});

let uptime = FIRST;

const server = createServer((request, response) => {
  const answers: Readonly<Record<string, string>> = {
    "/api/v1/account": JSON.stringify(ACCOUNT),
    "/api/v1/account/balance": JSON.stringify({ balance: "1000000.0000", currency: "USD" }),
    "/api/v1/offers": '{"offers":[]}',
  };
  const { pathname, searchParams } = new URL(request.url ?? "", "http://localhost");
  const page = Number(searchParams.get("page") ?? 1);
  if (values.moving && pathname === "/api/v1/deployments" && page === 1) uptime += 15;
  const body =
    pathname === "/api/v1/deployments"
      ? pages[page - 1]?.replaceAll(`"uptime":${FIRST}`, `"uptime":${uptime}`)
      : answers[pathname];
  response
    .writeHead(body === undefined ? 404 : 200, { "content-type": "application/json" })
    .end(body ?? "{}");
});
server.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  process.stdout.write(
    `${JSON.stringify({ url: `http://127.0.0.1:${address.port}`, pages: pages.length })}\n`,
  );
});
// A bench that is killed leaves nothing behind.
process.stdin.on("end", () => process.exit()).resume();
