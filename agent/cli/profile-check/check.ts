import { createService } from "../../../service/client.ts";
import { FleetkeeperError } from "../../../service/errors.ts";
import { parseJson } from "../../../service/json.ts";
import type { WireProfile } from "../../../service/profile.ts";
import type { Json, LaunchAnswer, LaunchRequest, Service, StopAnswer } from "../../../service/service.ts";
import type { WallClock } from "../../../service/wall-clock.ts";
import { RECORDED_KEY, recordedTransport } from "./recorded-transport.ts";
import type { Recorded, Recording } from "./recording.ts";
import { type Filled, isMismatch, unfill } from "./unfill.ts";

/** What a profile makes of recorded answers. It is JSON. */
export interface Reads {
  account?: unknown;
  balance?: unknown;
  deployments?: unknown;
  offers?: unknown;
  /** By its id, each machine that was asked for. Null: the service says that there is none. */
  readonly deployment: Record<string, unknown>;
  /** By the file of `answers/`. */
  readonly launch: Record<string, { readonly asks: Partial<LaunchRequest>; readonly answer: LaunchAnswer }>;
  readonly stop: Record<string, { readonly id: string; readonly answer: StopAnswer }>;
}

export interface ProfileCheck {
  readonly reads: Reads;
  /** What does not fit, for people. */
  readonly problems: readonly string[];
  /** What the profile says, and no recorded answer shows. */
  readonly untried: readonly Operation[];
  /** What the profile does not say. */
  readonly missing: readonly Operation[];
}

/** Where the profile says how; undefined: the specification does. */
const SAID = {
  account: undefined,
  balance: undefined,
  deployments: (profile) => profile.deployments?.list,
  deployment: (profile) => profile.deployments?.get,
  offers: (profile) => profile.offers,
  launch: (profile) => profile.launch,
  stop: (profile) => profile.stop,
} as const satisfies Record<string, ((profile: WireProfile) => unknown) | undefined>;
export type Operation = keyof typeof SAID;
const OPERATIONS = Object.keys(SAID) as readonly Operation[];

const ANYWHERE = "https://recorded.example";
const NOTHING_ASKED = { offer: "", provider: "", location: "", marker: "", parameters: {} };

/**
 * Plays a folder's recorded answers to the client, with the folder's profile. Each request must be the recorded one,
 * to the letter. Each answer must be readable.
 */
export async function checkRecording(recording: Recording, signal: AbortSignal): Promise<ProfileCheck> {
  const player = new Player(recording, signal);
  const { profile } = recording.profile;
  const isSaid = (operation: Operation): boolean =>
    SAID[operation]?.(profile) !== undefined || !SAID[operation];
  const isRecorded = (operation: Operation): boolean =>
    recording.recorded.some(({ kind }) => kind === operation);
  for (const operation of OPERATIONS)
    if (isSaid(operation) && isRecorded(operation)) await player.play(operation);
  const said = OPERATIONS.filter(isSaid);
  return {
    reads: player.reads,
    problems: [...player.problems, ...player.unasked(said)],
    untried: said.filter((operation) => !isRecorded(operation)),
    missing: OPERATIONS.filter((operation) => !isSaid(operation)),
  };
}

class Player {
  readonly reads: Reads = {
    ...{ account: undefined, balance: undefined, deployments: undefined, offers: undefined },
    ...{ deployment: {}, launch: {}, stop: {} },
  };
  readonly problems = new Set<string>();
  readonly #recording: Recording;
  readonly #clock: WallClock;
  readonly #signal: AbortSignal;
  readonly #asked = new Set<Recorded>();

  constructor(recording: Recording, signal: AbortSignal) {
    this.#recording = recording;
    this.#clock = clockOf(recording);
    this.#signal = signal;
  }

  async play(operation: Operation): Promise<void> {
    const { recorded } = this.#recording;
    const those = recorded.filter(({ kind }) => kind === operation);
    switch (operation) {
      case "launch":
        for (const each of those) await this.#launch(each);
        return;
      case "stop":
        for (const each of those) await this.#stop(each);
        return;
      case "deployment":
        for (const each of those) await this.#deployment(each);
        return;
      default: {
        const good = those.filter(({ answer }) => answer.status < 300);
        await this.#ask(good, async (service) => {
          this.reads[operation] = await service[operation](this.#signal);
        });
      }
    }
  }

  /** Answers that were saved, and that nothing which the profile says has asked for. */
  unasked(said: readonly Operation[]): readonly string[] {
    return this.#recording.recorded.flatMap((each) => {
      const { kind, answer, file, request, path } = each;
      const isAbout = kind === undefined || said.includes(kind as Operation);
      if (this.#asked.has(each) || answer.status >= 300 || !isAbout) return [];
      return [`${file}: by this profile nothing asks ${request.method} ${path}${queryOf(each)}`];
    });
  }

  async #deployment(each: Recorded): Promise<void> {
    const id = decodeURIComponent(each.path.split("/").at(-1) ?? "");
    await this.#ask([each], async (service) => {
      this.reads.deployment[id] = (await service.deployment(id, this.#signal)) ?? null;
    });
  }

  async #launch(each: Recorded): Promise<void> {
    const { profile } = this.#recording.profile;
    const filled = unfill((profile.launch?.body ?? null) as Json, parseJson(each.request.body ?? "null"));
    if (isMismatch(filled)) {
      this.#differs(each, `launch.body${filled.pointer && ` at ${filled.pointer}`}: ${filled.why}`);
      return;
    }
    const asks = asksOf(filled);
    await this.#ask([each], async (service) => {
      const answer = await service.launch({ ...NOTHING_ASKED, ...asks }, this.#signal);
      if (answer.kind !== "notSent") this.reads.launch[each.file] = { asks, answer };
    });
  }

  async #stop(each: Recorded): Promise<void> {
    const { stop } = this.#recording.profile.profile;
    const filled = unfill(stop?.path ?? "", each.path);
    const id = isMismatch(filled) ? undefined : filled.get("id");
    if (typeof id !== "string" || each.request.method !== stop?.method) {
      const asks = `${each.request.method} ${each.path}`;
      this.#differs(
        each,
        `the profile stops by ${stop?.method} ${stop?.path}, and the recorded request is ${asks}`,
      );
      return;
    }
    await this.#ask([each], async (service) => {
      // What was sent stands in the recording itself.
      const { sent: _sent, ...answer } = await service.stop({ id: decodeURIComponent(id) }, this.#signal);
      this.reads.stop[each.file] = { id: decodeURIComponent(id), answer };
    });
  }

  #differs(each: Recorded, why: string): void {
    this.#asked.add(each);
    this.problems.add(`${each.file}: ${why}`);
  }

  /** Works with a service that has these answers, and no others. */
  async #ask(among: readonly Recorded[], work: (service: Service) => Promise<void>): Promise<void> {
    const { profile } = this.#recording;
    const { transport, asked, problems } = recordedTransport(among);
    const secret = profile.profile.auth ? RECORDED_KEY : undefined;
    try {
      const options = { baseUrl: ANYWHERE, secret, profile, transport, clock: this.#clock };
      await work(createService({ ...options, random: () => 0 }));
    } catch (error) {
      if (!(error instanceof FleetkeeperError)) throw error;
      if (problems.size === 0) this.problems.add(error.message.replaceAll(ANYWHERE, ""));
    }
    for (const problem of problems) this.problems.add(problem);
    // It was asked for, though otherwise: said once is enough.
    for (const each of problems.size > 0 ? among : asked) this.#asked.add(each);
  }
}

/** It stands still on the day of the answers, which do not change: to wait for other ones would be in vain. */
function clockOf({ about }: Recording): WallClock {
  return { now: () => Date.parse(about.date), sleep: async () => undefined };
}

/** What a launch asked for, from what stood in its body. */
function asksOf(filled: Filled): Partial<LaunchRequest> {
  const parameters = [...filled].flatMap(([name, value]) =>
    name.startsWith("parameters.") ? [[name.slice("parameters.".length), value] as const] : [],
  );
  const rest = [...filled].filter(([name]) => !name.startsWith("parameters."));
  return {
    ...Object.fromEntries(rest),
    ...(parameters.length > 0 && { parameters: Object.fromEntries(parameters) }),
  };
}

function queryOf({ query }: Recorded): string {
  return query.size === 0 ? "" : `?${query}`;
}
