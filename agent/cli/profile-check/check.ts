import { createService } from "../../../service/client.ts";
import { FleetkeeperError } from "../../../service/contract/errors.ts";
import type {
  Extra,
  Json,
  LaunchAnswer,
  LaunchRequest,
  Service,
  StopAnswer,
} from "../../../service/contract/service.ts";
import type { WallClock } from "../../../service/http/wall-clock.ts";
import { impossibleId } from "../../../service/no-such-deployment.ts";
import { type Call, callOf, callText, requestOf } from "../../../service/profile/calls.ts";
import type { WireProfile } from "../../../service/profile/profile.ts";
import type { LoadedProfile } from "../../../service/profile/profile-file.ts";
import { parseJson } from "../../../service/text/json.ts";
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
  stop: (profile) => callOf(profile, "stop"),
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
  const { recorded, profile: loaded } = recording;
  const { profile } = loaded;
  // A token is no part of a recording: what was saved has $KEY where one stood.
  const { token, ...auth } = profile.auth ?? { value: "" };
  const asSecret = { ...auth, value: auth.value.replaceAll("{token}", "{secret}") };
  const without = token ? { ...loaded, profile: { ...profile, auth: asSecret } } : loaded;
  // Nor is the look at the currency that comes before a launch.
  const launching = { ...without, profile: { ...without.profile, balance: { none: true as const } } };
  const reads: Reads = {
    ...{ account: undefined, balance: undefined, deployments: undefined, offers: undefined },
    ...{ deployment: {}, launch: {}, stop: {} },
  };
  const problems = new Set<string>();
  const played = new Set<Recorded>();
  const clock = clockOf(recording);
  // One call may show both.
  const isBoth = callText(profile, "account") === callText(profile, "balance");
  const those = (operation: Operation) =>
    recorded.filter(({ kind }) => kind === (isBoth && operation === "balance" ? "account" : operation));
  const said = OPERATIONS.filter((operation) => !SAID[operation] || SAID[operation](profile) !== undefined);
  for (const operation of said) {
    if (operation === "launch" || operation === "stop" || operation === "deployment")
      for (const each of those(operation)) await { launch, stop, deployment }[operation](each);
    else if (those(operation).length > 0)
      await ask(
        those(operation).filter(({ answer }) => answer.status < 300),
        async (service) => {
          reads[operation] = await service[operation](signal);
        },
      );
  }
  if (profile.deployments?.get?.missing && !Object.values(reads.deployment).includes(null))
    problems.add(
      "deployments.get.missing: no recorded answer says that there is no such deployment. Save the one to an id that does not exist",
    );
  // Answers that were saved, and that nothing which the profile says has asked for.
  for (const each of recorded) {
    const { kind, answer, file, request, path, query } = each;
    const isAbout = kind === undefined || said.includes(kind as Operation);
    if (played.has(each) || answer.status >= 300 || !isAbout) continue;
    const asks = `${request.method} ${path}${query.size === 0 ? "" : `?${query}`}`;
    problems.add(`${file}: by this profile nothing asks ${asks}`);
  }
  return {
    reads,
    problems: [...problems],
    untried: said.filter((operation) => those(operation).length === 0),
    missing: OPERATIONS.filter((operation) => !said.includes(operation)),
  };

  async function deployment(each: Recorded): Promise<void> {
    const filled = filledIn(callOf(profile, "get"), each);
    if (isMismatch(filled)) return differs(each, `calls.get${filled.pointer}: ${filled.why}`);
    const id = String(filled.get("id"));
    const isSaid = profile.deployments?.get?.missing !== undefined;
    await ask(isSaid ? [each, deniedLike(each, id)] : [each], async (service) => {
      reads.deployment[id] = (await service.deployment(id, signal)) ?? null;
    });
  }

  /** Where this answer says that there is none, it is also what an id that cannot exist is answered with. */
  function deniedLike(each: Recorded, id: string): Recorded {
    const { url, body } = requestOf(callOf(profile, "get"), ANYWHERE, () => impossibleId(id));
    const { pathname, searchParams: query } = new URL(url);
    return {
      ...each,
      path: pathname,
      query,
      request: { ...each.request, ...(body === undefined ? {} : { body }) },
    };
  }

  async function launch(each: Recorded): Promise<void> {
    const filled = filledIn(callOf(profile, "launch"), each);
    if (isMismatch(filled)) {
      const [, part, pointer] = /^\/([^/]*)(.*)$/.exec(filled.pointer) ?? [];
      const where = part === "body" ? "launch.body" : `calls.launch.${part}`;
      return differs(each, `${where}${pointer && ` at ${pointer}`}: ${filled.why}`);
    }
    const asks = asksOf(filled);
    const work = async (service: Service) => {
      const answer = await service.launch({ ...NOTHING_ASKED, ...asks }, signal);
      if (answer.kind !== "notSent") reads.launch[each.file] = { asks, answer };
    };
    await ask([each], work, launching);
  }

  async function stop(each: Recorded): Promise<void> {
    const call = callOf(profile, "stop");
    const filled = call && filledIn(call, each);
    const isFilled = filled && !isMismatch(filled) && each.request.method === call.method;
    if (!isFilled) {
      const isElsewhere = !filled || !isMismatch(filled) || filled.pointer.split("/")[1] === "path";
      const why = isElsewhere
        ? `the profile stops by ${call?.method} ${call?.path}, and the recorded request is ${each.request.method} ${each.path}`
        : `the stop${filled.pointer}: ${filled.why}`;
      return differs(each, why);
    }
    const id = String(filled.get("id"));
    await ask([each], async (service) => {
      // What was sent stands in the recording itself.
      const { sent: _sent, ...answer } = await service.stop({ id }, signal);
      reads.stop[each.file] = { id, answer };
    });
  }

  function differs(each: Recorded, why: string): void {
    played.add(each);
    problems.add(`${each.file}: ${why}`);
  }

  /** Works with a service that has these answers, and no others. */
  async function ask(
    among: readonly Recorded[],
    work: (service: Service) => Promise<void>,
    by: LoadedProfile = without,
  ): Promise<void> {
    const { transport, asked, problems: differences } = recordedTransport(among);
    const secret = profile.auth ? RECORDED_KEY : undefined;
    try {
      await work(
        createService({
          ...{ baseUrl: ANYWHERE, secret, profile: by, transport, clock, random: () => 0 },
          settings: recording.about.settings,
        }),
      );
    } catch (error) {
      if (!(error instanceof FleetkeeperError)) throw error;
      if (differences.size === 0) problems.add(error.message.replaceAll(ANYWHERE, ""));
    }
    for (const problem of differences) problems.add(problem);
    // It was asked for, though otherwise: said once is enough.
    for (const each of differences.size > 0 ? among : asked) played.add(each);
  }
}

/** It stands still on the day of the answers, which do not change: to wait for other ones would be in vain. */
function clockOf({ about }: Recording): WallClock {
  return { now: () => Date.parse(about.date), sleep: async () => undefined };
}

/** What was filled into a call, by the request that was recorded of it. */
function filledIn(
  { path, query, body, as }: Call,
  { request, ...each }: Recorded,
): ReturnType<typeof unfill> {
  const sent =
    request.body === undefined ? null : as === "form" ? formIn(request.body) : parseJson(request.body);
  const template = { path: path.split("/"), query, ...(body && { body }) };
  const parts = each.path.split("/").map(decodeURIComponent);
  const document = { path: parts, query: Object.fromEntries(each.query), ...(body && { body: sent }) };
  return unfill(template as Json, document);
}

function formIn(text: string): Json {
  return Object.fromEntries(new URLSearchParams(text));
}

/** What a launch asked for, from what stood in its body. */
function asksOf(filled: Filled): Partial<LaunchRequest> {
  const parameters = [...filled].flatMap(([name, value]) =>
    name.startsWith("parameters.") ? [[name.slice("parameters.".length), value] as const] : [],
  );
  const rest = [...filled].filter(([name]) => !/^(parameters|settings|offer)\./.test(name));
  const extra = [...filled].flatMap(([name, value]) =>
    name.startsWith("offer.") ? [[name.slice("offer.".length), value] as const] : [],
  );
  return {
    ...Object.fromEntries(rest),
    ...(extra.length > 0 && { extra: Object.fromEntries(extra) as Extra }),
    ...(parameters.length > 0 && { parameters: Object.fromEntries(parameters) }),
  };
}
