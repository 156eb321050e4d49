// npm run clouds -- NAME --document FILE: holds a profile that ships to the service's own OpenAPI document.
import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { parse } from "yaml";
import { createService, createUndiciTransport, loadProfile, PATHS, readable } from "../service/index.ts";
import { type Asked, openFront } from "./clouds/front.ts";
import { startMock } from "./clouds/mock.ts";

/*
 * Prism makes a service of the document, and says of each request whether the document allows it. Doctor, offers and
 * plan run against it, and a launch, a get and a stop, with the profile as it ships. What it answers are the document's
 * examples: a machine may have any state there, and an offer any price. So this fails for a request that is not
 * allowed; what cannot be read of an answer is shown, for people. Nothing goes to the network but npx, for Prism.
 */
const ROOT = join(import.meta.dirname, "..");
/** The mock asks for some credential. */
const secret = "no-key-of-anybody";
/**
 * Doctor asks for a machine that is not there, to see what is said of it, and many documents allow no such id. What a
 * profile does not state it looks for where the specification has it.
 */
const LOOKED_FOR = [
  "fleetkeeper-doctor-no-such-deployment",
  ...Object.values(PATHS).map((path) => ` ${path}`),
];

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { document: { type: "string" } },
});
const [name] = positionals;
if (!name || !values.document) throw new Error("npm run clouds -- NAME --document FILE");
const folder = join(ROOT, "profiles", name);
const work = mkdtempSync(join(tmpdir(), "fleetkeeper-clouds-"));
const mock = await startMock(resolve(values.document));
const front = await openFront(mock.url, mock.prefix);
try {
  // The example beside the profile, at the mock.
  const fleet = parse(readFileSync(join(folder, "fleet.yaml"), "utf8"));
  const here = {
    baseUrl: front.url,
    profile: join(folder, "profile.yaml"),
    ledger: "ledger.db",
    apiKey: undefined,
  };
  fleet.service = { ...fleet.service, ...here };
  writeFileSync(join(work, "fleet.yaml"), JSON.stringify(fleet));
  for (const command of ["doctor", "offers", "plan"]) await runCommand(command);
  await callPlainly(fleet);
  process.exitCode = report(name, front.asked);
} finally {
  front.close();
  mock.stop();
  rmSync(work, { recursive: true, force: true });
}

async function runCommand(command: string): Promise<void> {
  front.begin(command);
  const env = { PATH: process.env.PATH, HOME: work, FLEETKEEPER_API_KEY: secret };
  const { promise, resolve: end } = Promise.withResolvers<string>();
  execFile(process.execPath, [join(ROOT, "agent/cli/entry.ts"), command], { cwd: work, env }, (_, out, err) =>
    end(out + err),
  );
  console.log(`$ fleetkeeper ${command}\n${await promise}`);
}

/** A launch, a get and a stop, by the client that rents machines. */
async function callPlainly({ fleets, service: settings }: ReturnType<typeof parse>): Promise<void> {
  const { transport, close } = createUndiciTransport({ environment: {} });
  const profile = loadProfile(settings.profile);
  const clock = { now: Date.now, sleep: (ms: number) => sleep(ms) };
  const service = createService({ ...settings, secret, profile, transport, clock });
  const signal = AbortSignal.timeout(60_000);
  const say = async <T>(what: string, asked: () => Promise<T>): Promise<T | undefined> => {
    front.begin(what);
    const answer = await asked().catch((error: Error) => error);
    console.log(`${what}: ${answer instanceof Error ? answer.message : JSON.stringify(answer)}\n`);
    return answer instanceof Error ? undefined : answer;
  };
  front.begin("launch");
  const [{ candidates = [], parameters = {} }] = fleets;
  const offers = readable(await service.offers(signal).catch(() => []));
  const extra = Object.keys(profile.profile.offers?.fields.extra ?? {}).map((each) => [each, "1"]);
  const any = { offer: "1", provider: "1", location: "1", extra: Object.fromEntries(extra) };
  const asks = { ...any, ...(offers[0] ?? candidates[0]) };
  const launched = await say("launch", () =>
    service.launch({ ...asks, marker: "fk-1a2b3c4d5e6f-7g8h9i0j1k2l", parameters }, signal),
  );
  const id = launched?.kind === "accepted" ? launched.id : "1";
  await say("get", () => service.deployment(id, signal));
  await say("stop", () => service.stop({ id }, signal));
  close();
}

/** What was asked, for people. 1 if the document does not allow all of it. */
function report(cloud: string, asked: readonly Asked[]): number {
  console.log(`${cloud}, held to ${mock.document}:`);
  const isMeant = ({ request }: Asked): boolean => LOOKED_FOR.some((each) => request.includes(each));
  const lines = asked.map((each) => {
    const mark = each.violations.length === 0 ? "ok    " : isMeant(each) ? "sought" : "WRONG ";
    const slash = each.otherSlash ? " (in the document with another slash at its end)" : "";
    return [`  ${mark} ${each.during}: ${each.request} -> ${each.status}${slash}`, ...each.violations].join(
      "\n        ",
    );
  });
  for (const line of new Set(lines)) console.log(line);
  if (!asked.some(({ during }) => during === "plan")) throw new Error("plan asked nothing: see above");
  const wrong = asked.filter((each) => each.violations.length > 0 && !isMeant(each));
  const sum = `${wrong.length} of ${asked.length} requests are none that the document allows.`;
  console.log(wrong.length === 0 ? "Each request is one that the document allows." : sum);
  return wrong.length === 0 ? 0 : 1;
}
