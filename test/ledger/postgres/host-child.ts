import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { openService } from "../../../account/open.ts";
import { newId } from "../../../account/open-ledger.ts";
import { DEFAULT_SETTINGS } from "../../../launch/facts/context.ts";
import { SLOT_RULES } from "../../../launch/people/slot.ts";
import { launch, takeList } from "../../../launch/protocol.ts";
import { openPostgresLedger } from "../../../ledger/postgres/postgres-ledger.ts";
import type { Owner } from "../../../ledger/rows.ts";
import type { HostChild } from "./hosts.ts";

// A process of a host. From when the file `go` is there, it lists and tries to launch, for ever. See hosts.test.ts.
// Each line says its name and what came of it.
const given: HostChild = JSON.parse(process.argv[2] ?? "{}");
const { name, baseUrl, apiKey, profile, url, protocol, go, owner, ahead, dies } = given;
const say = (text: string): void => void process.stdout.write(`${name} ${text}\n`);
const wall = Date.now;
Date.now = () => wall() + ahead;
const settings = { ...DEFAULT_SETTINGS, ...protocol };
const { signal } = new AbortController();
const { service, clock } = openService({ baseUrl, apiKey, profile }, {}, settings);
const ledger = await openPostgresLedger({ url, newId, now: Date.now() });
const account = await ledger.openAccount({
  baseUrl,
  account: await service.account(signal),
  tenure: "exclusive",
});
const sending: typeof service = Object.assign(Object.create(service), {
  launch: async (...sent: Parameters<typeof service.launch>) => {
    const answer = await service.launch(...sent);
    if (dies) process.kill(process.pid, "SIGKILL");
    return answer;
  },
});
const keeper = { ledger, account, service: sending, clock: ledger.clockOn(clock), settings, newId };
const wish = {
  ...{ offer: "h100-80gb-x1", provider: "aurora", location: "fi-hel", gpus: 1, pricePerHour: null },
  ...{ owner: owner as Owner, parameters: {}, limits: {} },
  rules: SLOT_RULES,
};
say("ready");
while (!existsSync(go)) await sleep(20);
for (;;) {
  try {
    await takeList(keeper, signal);
    const result = await launch(keeper, wish);
    const kind = result.kind === "refused" ? (result.holds[0]?.kind ?? "") : result.kind;
    say(kind === "filled" || kind === "unresolved" ? "full" : kind);
  } catch (error) {
    say(`trouble: ${(error as Error).message}`);
  }
  await sleep(200);
}
