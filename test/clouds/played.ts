import { accountInLedger } from "../../account/account-of-key.ts";
import { declareFleets } from "../../agent/fleet/declare/declare-fleets.ts";
import { resumeFleet } from "../../agent/fleet/phase/fleet-orders.ts";
import { wishSchema } from "../../agent/fleet/wish/wish.ts";
import { runLoop } from "../../agent/reconcile/loop.ts";
import { unservingOf } from "../../launch/ends/unserving.ts";
import { DEFAULT_SETTINGS } from "../../launch/facts/context.ts";
import type { Keeper } from "../../launch/keeper.ts";
import { contextOf } from "../../launch/keeper.ts";
import { resume } from "../../launch/people/operator.ts";
import { openSqliteLedger } from "../../ledger/sqlite/sqlite-ledger.ts";
import { createService } from "../../service/client.ts";
import type { HttpResponse, Transport } from "../../service/contract/transport.ts";
import { TransportError } from "../../service/contract/transport.ts";
import { loadProfile } from "../../service/profile/profile-file.ts";
import { VirtualClock } from "../../simulator/index.ts";
import type { Answer, Machine, StandIn } from "./estate.ts";
import { createEstate } from "./estate.ts";

const MINUTE = 60_000;
const URL_OF = "https://cloud.example.com";

/**
 * What becomes of a launch. `died`: its machine is made, and the agent dies before the answer comes. `ghost`: it is
 * accepted, and nothing of it is ever seen.
 */
const FATES = ["made", "lost", "cut", "broken", "soldOut", "died", "ghost", "inError", "tooMany"] as const;
type Fate = (typeof FATES)[number];
/** So old may be what a read is answered: lists lag, and a page of one may be older than the next. */
const STALE_MS = 45_000;

/** Of any request but a launch. */
function otherFate(luck: number): Fate {
  if (luck < 0.02) return "cut";
  if (luck < 0.03) return "tooMany";
  if (luck < 0.04) return "broken";
  return luck < 0.043 ? "died" : "made";
}

/** Numbers below 1, the same ones for the same seed. */
function drawn(seed: number): () => number {
  let state = (seed * 2_654_435_761) >>> 0 || 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
}

export interface Played {
  /** The most GPUs of ours that were there at once and neither ended nor halted. */
  readonly most: number;
  readonly ours: readonly Machine[];
  readonly strangers: readonly Machine[];
  readonly told: string;
  readonly fates: Readonly<Record<string, number>>;
  /** Minutes in which more was billed for ten minutes without serving than people are told of. */
  readonly untold: readonly number[];
  /** Requests that the service does not know: the profile asks for what its document has not. */
  readonly unknown: readonly string[];
}

/** A fleet of 8 GPUs is kept by the shipped profile: three hours with faults, then two hours of calm. */
export async function play(name: string, service: StandIn, seed: number): Promise<Played> {
  const clock = new VirtualClock();
  const begun = clock.now();
  const random = drawn(seed);
  const estate = createEstate(() => clock.now(), seed % 3);
  const isStranger = ({ name: called }: Machine): boolean => called === "not-ours";
  const beside = () => estate.launch({ name: "not-ours", kind: "strangers", where: "elsewhere", gpus: 2 });
  const stranger = service.isExclusive ? undefined : beside();
  const fates: Record<string, number> = {};
  const unknown = new Set<string>();
  const halted = new Map<number, number>();
  const untold: number[] = [];
  let [calm, most, pid] = [false, 0, 0];
  const newId = ids(seed);
  const ledger = openSqliteLedger({
    path: ":memory:",
    newId: `clouds${String(seed).padStart(6, "0")}`,
    now: clock.now(),
  });
  const ours = (): readonly Machine[] => estate.billed().filter((machine) => !isStranger(machine));
  /** What reads were answered, for one that is answered as it was a moment ago. */
  const answers = new Map<string, { readonly at: number; readonly answer: Answer }>();
  const alive = new Set<number>();
  const tenure = service.isExclusive ? "exclusive" : "shared";
  const errors: string[] = [];
  let last: Keeper | undefined;

  const fateOf = (): Fate => {
    const luck = calm ? 0 : random();
    // A profile's first launch halts it until it is shown: only people go on then.
    const isFirst = Object.keys(fates).length === 0;
    const fate =
      isFirst || luck < 0.55 ? "made" : (FATES[1 + Math.floor(random() * (FATES.length - 1))] as Fate);
    fates[fate] = (fates[fate] ?? 0) + 1;
    return fate;
  };

  async function startAgent(): Promise<void> {
    pid += 1;
    const own = pid;
    alive.add(own);
    const never = new Promise<never>(() => undefined);
    const isDead = (): boolean => !alive.has(own);
    const transport: Transport = async (request, signal): Promise<HttpResponse> => {
      if (isDead()) return never;
      await clock.sleep(40, signal).catch(() => undefined);
      if (isDead()) return never;
      const { pathname: path, searchParams: query } = new URL(request.url);
      const asked = {
        method: request.method,
        path,
        query,
        headers: request.headers ?? {},
        body: request.body === undefined ? undefined : JSON.parse(request.body),
      };
      const isLaunch = service.isLaunch(asked);
      if (isLaunch && request.mayLeave?.() === false) throw new TransportError("NOT_SENT", "too late");
      const fate = isLaunch ? fateOf() : calm ? "made" : otherFate(random());
      const before = asked.method === "GET" ? answers.get(request.url) : undefined;
      if (!calm && before && clock.now() - before.at < STALE_MS && random() < 0.1)
        return answered(before.answer);
      if (fate === "cut") throw new TransportError("NO_ANSWER", "the connection broke");
      if (fate === "soldOut") return answered(service.soldOut);
      if (fate === "tooMany") return answered({ status: 429, body: "Too many requests." });
      const answer = service.answer(estate, asked);
      if (answer) answers.set(request.url, { at: clock.now(), answer: structuredClone(answer) });
      if (answer === undefined) unknown.add(`${asked.method} ${path}`);
      most = Math.max(
        most,
        ours()
          .filter(({ state }) => state === "starting" || state === "serving")
          .reduce((sum, { gpus }) => sum + gpus, 0),
      );
      const newest = estate.newest();
      if (fate === "ghost" && newest) estate.lose(newest);
      if (fate === "inError" && newest && service.madeInError) return answered(service.madeInError(newest));
      if (fate === "lost") throw new TransportError("NO_ANSWER", "the connection broke");
      if (fate === "broken") return answered({ status: 500, body: "<html>Something went wrong.</html>" });
      if (fate === "died") {
        alive.delete(own);
        void startAgent();
        return never;
      }
      return answered(answer ?? { status: 404, body: "no such page" });
    };
    const sleep: VirtualClock["sleep"] = async (ms, signal) => {
      await clock.sleep(ms, signal);
      if (isDead()) await never;
    };
    const client = createService({
      baseUrl: URL_OF,
      secret: "the-key",
      profile: loadProfile(name),
      settings: service.settings,
      transport,
      clock: { now: () => clock.now(), sleep },
      random,
    });
    const signal = new AbortController().signal;
    const shown = await outlast(() => client.account(signal), sleep);
    const account = await accountInLedger(client, ledger, shown, signal);
    const key = await ledger.openAccount({ baseUrl: client.baseUrl, account, tenure });
    const keeper: Keeper = {
      ledger,
      account: key,
      service: client,
      settings: DEFAULT_SETTINGS,
      newId,
      clock: {
        self: { boot: "boot", pid: own, started: "0" },
        now: () => ({ wall: clock.now(), mono: clock.monotonic(), boot: "boot" }),
        sleep,
        isAlive: (process) => alive.has(process.pid),
      },
    };
    last = keeper;
    const source = "file:fleet.yaml";
    await declareFleets(keeper, source, () => [
      { name: "training", source, wish: wishSchema.parse(service.wish) },
    ]);
    void runLoop(
      { keeper, host: "test", onTick: () => undefined, onError: (error) => errors.push(error.message) },
      signal,
    ).catch((error: Error) => errors.push(error.message));
  }

  /** What the messages ask people for, once the trouble is over. */
  async function resumeAll(): Promise<void> {
    const [row] = await ledger.accounts();
    if (!row || !last) return;
    const context = contextOf(last);
    await ledger.decide(row.key, (draft) => {
      resume(draft, context);
      resumeFleet(draft, "training", context);
    });
  }

  /** How many machines people are told of that bill and do not serve. */
  async function idleTold(): Promise<number> {
    const [row] = await ledger.accounts();
    if (!row || !last) return 0;
    const context = contextOf(last);
    return ledger.decide(row.key, (draft) => unservingOf(draft, context).length);
  }

  void startAgent();
  for (let minute = 0; minute < 300; minute += 1) {
    await clock.advance(MINUTE);
    calm = minute >= 180;
    if (minute === 181 || minute === 250) await resumeAll();
    const idle = ours().filter(
      ({ id, state }) => state === "halted" && clock.now() - (halted.get(id) ?? 0) > 10 * MINUTE,
    );
    if (idle.length > 0 && (await idleTold()) < idle.length) untold.push(minute);
    const [other] = estate.billed().filter((machine) => isStranger(machine) && machine !== stranger);
    if (other) estate.lose(other);
    else if (stranger && !calm && random() < 0.1) beside();
    const here = ours().filter(({ state }) => state === "serving" || state === "starting");
    const one = here[Math.floor(random() * here.length)];
    if (calm || !one || random() > 0.03) continue;
    if (random() < 0.5) estate.lose(one);
    else {
      halted.set(one.id, clock.now());
      estate.halt(one);
    }
  }
  const [row] = await ledger.accounts();
  const events = row ? await ledger.events(row.key, 2000) : [];
  return {
    most,
    ours: ours(),
    strangers: estate.billed().filter(isStranger),
    told: [
      ...events.map(({ at, text }) => `minute ${((at - begun) / MINUTE).toFixed(1)}: ${text}`),
      ...errors,
    ].join("\n"),
    fates,
    untold,
    unknown: [...unknown],
  };
}

function answered({ status, headers = {}, body }: Answer): HttpResponse {
  return { status, headers, body: typeof body === "string" ? body : JSON.stringify(body) };
}

async function outlast<T>(ask: () => Promise<T>, sleep: (ms: number) => Promise<void>): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await ask();
    } catch (error) {
      if (tries > 20) throw error;
      await sleep(1000);
    }
  }
}

function ids(seed: number): () => string {
  let count = 0;
  return () => `s${seed}x${String(++count).padStart(12, "0")}`.slice(0, 16);
}
