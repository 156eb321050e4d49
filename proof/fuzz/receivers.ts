import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { Agent } from "undici";
import { OUTSIDE } from "../../agent/ask/exchange.ts";
import { measuring } from "../../agent/ask/metric.ts";
import { resolveTargets } from "../../agent/fleet/file/notify-settings.ts";
import { delivering, ping } from "../../agent/tell/notify/deliver.ts";
import { shortText } from "../../agent/tell/notify/message.ts";
import { Notifier } from "../../agent/tell/notify/notifier.ts";
import { note } from "../../launch/facts/events.ts";
import { contextOf, type Keeper } from "../../launch/keeper.ts";
import { HOUR_MS, MINUTE_MS } from "../../ledger/instant.ts";
import { HARMFUL } from "../../service/text/redaction.ts";
import { createSimulator, type Simulator, VirtualClock } from "../../simulator/index.ts";
import { declareTwo, keeperOn, MACHINES, startAgent } from "./agent-on.ts";
import { chosen, damagedText, type Edit, edits } from "./damage.ts";
import { demand, shown } from "./demand.ts";
import { target } from "./target.ts";
import { WIRES, type Wire } from "./wires.ts";

/**
 * What webhooks, Slack, a dead man's switch, a notify command and a metric answer, by real sockets and a real program: the notifier goes on, asks a few
 * times and no other address, and believes that a message was taken by a 2xx alone. Of the service it asks nothing, and no machine comes or goes.
 */
interface Answered {
  readonly of: number;
  readonly text: readonly Edit[];
  /** It resets the connection when it has answered. */
  readonly resets: boolean;
  readonly exitCode: number;
}

const answer = (head: string, body = ""): string =>
  `HTTP/1.1 ${head}\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
const HUGE = "x".repeat(3_000_000);
const ANSWERS: readonly string[] = [
  ...[answer("200 OK", "ok"), answer("204 No Content"), answer("200 OK\r\ncontent-type: text/plain", "12.5")],
  answer("302 Found\r\nlocation: /elsewhere", "moved"),
  answer("307 Temporary Redirect\r\nlocation: http://127.0.0.1:1/elsewhere"),
  ...[answer("410 Gone"), answer("429 Too Many Requests\r\nretry-after: 99999999999")],
  answer("503 Service Unavailable\r\nretry-after: Fri, 31 Dec 9999 23:59:59 GMT", "later"),
  answer("500 \u001b[2J\u0007", '{"error":"\u001b]0;x\u0007"}'),
  "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nok\r\n0\r\n\r\n",
  "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok",
  ...[answer("200 OK", HUGE), `HTTP/1.1 200 OK\r\nx-long: ${HUGE}\r\n\r\n`, answer("500 No", HUGE)],
  ...["", "\u0000\u0000\u0000", "<html>", '{"status":"success"}', "HTTP/9.9 999 X\r\n\r\n"],
];
/** Headers of megabytes are no answer. */
const TAKEN = /^HTTP\/1.1 2(?!.*\r\nx-long)/s;
const PATHS = ["/hook", "/secret-slack", "/secret-ping", "/metric"];
/** Each target is tried twice, and a second message may wait. */
const MOST_ASKED = 12;
const LONGEST_SAID = 800;
const environment = { SECRET: `whsec_${Buffer.alloc(32, 7).toString("base64")}`, PATH: process.env.PATH };

interface Scene {
  readonly keeper: Keeper;
  readonly clock: VirtualClock;
  readonly simulator: Simulator;
  readonly server: Server;
  readonly agent: Agent;
  readonly asked: string[];
  answers: (path: string) => { readonly bytes: Buffer; readonly resets: boolean };
}

const folder = mkdtempSync(join(tmpdir(), "fuzz-receivers-"));
/** What the command prints. */
const printed = join(folder, "printed");
let opened: Promise<Scene> | undefined;

async function open(): Promise<Scene> {
  const clock = new VirtualClock();
  const wire = WIRES.find(({ dialect }) => dialect === "plain") as Wire;
  const simulator = createSimulator({
    clock,
    dialect: wire.dialect,
    offers: [wire.offer],
    balance: "900000000000.0000",
  });
  const keeper = await keeperOn({ wire, clock, simulator });
  await declareTwo(keeper, wire);
  const running = startAgent(keeper, clock, () => undefined);
  await clock.advance(6 * MINUTE_MS);
  await running.end();
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    socket.once("data", (chunk) => {
      const path = chunk.toString("latin1").split(" ")[1] ?? "";
      scene.asked.push(path);
      const { bytes, resets } = scene.answers(path);
      if (resets) socket.write(bytes, () => socket.resetAndDestroy());
      else socket.end(bytes);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const scene: Scene = {
    ...{ keeper, clock, simulator, server, agent: new Agent(OUTSIDE), asked: [] },
    answers: () => ({ bytes: Buffer.from(""), resets: false }),
  };
  return scene;
}

let told = 0;

async function tell({ of, text, resets, exitCode }: Answered): Promise<void> {
  opened ??= open();
  const scene = await opened;
  const { keeper, clock, simulator, agent } = scene;
  const whole = chosen(ANSWERS, of);
  const said = damagedText(whole, text);
  const bytes = Buffer.from(said, "latin1");
  scene.answers = () => ({ bytes, resets });
  scene.asked.length = 0;
  const url = `http://127.0.0.1:${(scene.server.address() as AddressInfo).port}`;
  const variables = { ...environment, SLACK: `${url}/secret-slack`, PING: `${url}/secret-ping` };
  writeFileSync(printed, bytes);
  const command = ["sh", "-c", 'cat >/dev/null; cat "$0"; exit "$1"', printed, `${exitCode}`];
  const targets = resolveTargets(
    [
      { webhook: `${url}/hook`, secret: { env: "SECRET" } },
      { slack: { env: "SLACK" } },
      { command },
      { ping: { env: "PING" } },
    ],
    variables,
  );
  const lines: string[] = [];
  const now = (): Date => new Date(keeper.clock.now().wall);
  const notifier = new Notifier({
    ...{ keeper, show: shortText, say: (line) => lines.push(line), retry: { retries: 1, minTimeout: 1 } },
    deliver: delivering({ ...{ agent, environment, now }, folder: "/" }),
    ping: (address, signal) => ping(agent, address, signal),
  });
  notifier.targets = targets;
  await notifier.prepare();
  told += 1;
  await keeper.ledger.decide(keeper.account, (draft) => {
    note(draft, contextOf(keeper), "halted", `halt ${told}`);
  });
  const [{ sequence } = { sequence: 0 }] = await keeper.ledger.events(keeper.account, 1);
  notifier.pump();
  notifier.alive();
  await notifier.settled();
  const metric = { http: { url: `${url}/metric`, pointer: "" } } as const;
  const measured = await measuring({ agent, environment })(
    { name: "training", source: "file:fleet.yaml", metric } as never,
    new AbortController().signal,
  );
  demand(["value", "unknown"].includes(measured.kind), `a metric is ${measured.kind}`);
  demand(scene.asked.length <= MOST_ASKED, `${scene.asked.length} requests for one event`);
  for (const path of scene.asked) demand(PATHS.includes(path), `somebody else is asked: ${path}`);
  for (const line of lines) {
    const what = `a line of the log is ${JSON.stringify(shown(line))}`;
    demand(line.length < LONGEST_SAID && !HARMFUL.test(line), what);
    demand(!/secret-(slack|ping)|whsec_/.test(line), what);
  }
  const { outboxes = {} } = (await keeper.ledger.read(keeper.account)).account;
  for (const { id, way } of targets) {
    const after = outboxes[id]?.after ?? 0;
    if (way === "command")
      demand(after >= sequence === (exitCode === 0), `a command's ${exitCode} is misread`);
    else if (way !== "ping" && text.length === 0 && !resets)
      demand(after >= sequence === TAKEN.test(whole), `${id} answered ${shown(whole)}`);
  }
  const { launches } = simulator.truth();
  demand(launches.length === MACHINES && simulator.living().length === MACHINES, "machines came or went");
  // Longer than whatever a target asked to be left alone for.
  await clock.advance(5 * HOUR_MS);
}

export const receiverTarget = target<Answered>({
  name: "receivers",
  runs: 1_200,
  inputs: fc.record({
    of: fc.nat(),
    text: fc.oneof(fc.constant([]), edits(2)),
    resets: fc.boolean(),
    exitCode: fc.constantFrom(0, 0, 1, 75),
  }),
  run: tell,
  close: async () => {
    const scene = await opened;
    scene?.keeper.ledger.close();
    scene?.server.close();
    await scene?.agent.destroy();
    rmSync(folder, { recursive: true, force: true });
  },
});
