import { COOLING_DOWN_STATUS, OFFER_COOLING_DOWN } from "./contract/contract.ts";
import type { Deployment, Json, LaunchAnswer } from "./contract/service.ts";
import { type HttpResponse, TransportError } from "./contract/transport.ts";
import { beginningOf, type Failure, failureText, readFailure } from "./http/failure.ts";
import { refusalsOf } from "./profile/abilities.ts";
import type { WireProfile } from "./profile/profile.ts";
import { Flawed, type RecordReader } from "./record/record-field.ts";
import { milliseconds } from "./text/duration.ts";
import { parseJson, readName } from "./text/json.ts";
import { valueAt } from "./text/pointer.ts";
import type { Redaction } from "./text/redaction.ts";

/** Statuses that HTTP itself defines as given before anything is carried out. */
const DEFINITE: ReadonlySet<number> = new Set([403, 404, 405, 413, 415]);
/** Statuses that blame the request. They count only with a body that was understood: proxies send them. */
const DEFINITE_IF_UNDERSTOOD: ReadonlySet<number> = new Set([400, 402, 422]);

/** What an answer to the POST means (design, 4.3). What is no proven refusal may be a machine: unknown. */
export function classifyLaunch(
  response: HttpResponse,
  profile: WireProfile,
  readDeployment: RecordReader<Deployment>,
  now: number,
  redact: Redaction,
): LaunchAnswer {
  const { launch, errors } = profile;
  const at = (pointer: string | undefined): Json | undefined => standingIn(response, pointer);
  const isGood = response.status >= 200 && response.status < 300;
  const word = isGood && launch?.accepted && { ...launch.accepted, says: at(launch.accepted.pointer) };
  if (isGood && (!word || word.is.some((each) => each === word.says)))
    return classifyAccepted(response, launch, readDeployment, redact);

  const failure = readFailure(response, errors, now);
  const { status, code, message, retryAfter } = failure;
  const made = readName(at(launch?.createdAt));
  if (made !== undefined)
    return { kind: "accepted", id: made, deployment: {}, though: redact.text(failureText(failure), 500) };
  const cools = soldOutFor(failure, errors?.soldOut);
  const more = cools === undefined ? {} : { cools };
  // An id beside the word of a refusal: one of the two is wrong.
  const isTwofold = isGood && typeof launch?.id === "string" && readName(at(launch.id)) !== undefined;
  if (isTwofold || !isDefinite(failure, profile, refusalsOf(profile))) {
    const says =
      word &&
      `${word.pointer} says ${JSON.stringify(word.says) ?? "nothing"}, which is no word of launch.accepted`;
    const isRefusal =
      cools === undefined && !isTwofold && (isGood || isDefinite(failure, profile, "certain"));
    return {
      kind: "unknown",
      reason: redact.text(unknownReason(failure, profile, says || undefined), 700),
      ...(isRefusal ? { refused: true as const } : {}),
      ...more,
    };
  }
  return {
    kind: "rejected",
    status,
    ...(code === undefined ? {} : { code: redact.text(code) }),
    ...(message === undefined ? {} : { message: redact.text(message, 1000) }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
    ...more,
  };
}

export function standingIn({ body }: HttpResponse, pointer: string | undefined): Json | undefined {
  if (pointer === undefined) return undefined;
  try {
    return valueAt(parseJson(body), pointer);
  } catch {
    return undefined;
  }
}

/** Seconds for which nothing more is to be had there: as the answer says, or else as the profile does. */
function soldOutFor(
  { status, code, retryAfter }: Failure,
  soldOut: NonNullable<WireProfile["errors"]>["soldOut"],
): number | undefined {
  const { statuses, codes, wait = "" } = soldOut ?? {};
  if (!statuses && !codes) return undefined;
  const fits = (!statuses || statuses.includes(status)) && (!codes || codes.includes(code ?? ""));
  return fits ? (retryAfter ?? milliseconds(wait) / 1000) : undefined;
}

export function classifyLaunchError(error: unknown, redact: Redaction): LaunchAnswer {
  const reason = redact.cause(error).message;
  if (!(error instanceof TransportError)) return { kind: "unknown", reason };
  return error.code === "NOT_SENT" ? { kind: "notSent", reason } : { kind: "unknown", reason, lost: true };
}

function isDefinite(
  { status, code, message }: Failure,
  profile: WireProfile,
  refusals: ReturnType<typeof refusalsOf>,
): boolean {
  const { statuses = [], codes = [] } = profile.errors?.definite ?? {};
  const isNamed = code !== undefined && codes.includes(code);
  // Of a 2xx that refuses by its word, only a code says that it made nothing.
  if (status < 300) return isNamed;
  if (status < 400) return false;
  if (status === COOLING_DOWN_STATUS && code === OFFER_COOLING_DOWN) return true;
  if (isNamed || statuses.includes(status)) return true;
  // HTTP says of it that the request was not applied: nobody was there to be billed.
  if (status === 401) return true;
  if (refusals === "uncertain") return false;
  if (DEFINITE.has(status)) return true;
  return DEFINITE_IF_UNDERSTOOD.has(status) && (code !== undefined || message !== undefined);
}

/** `says`: the word of a 2xx that refuses. */
function unknownReason(failure: Failure, profile: WireProfile, says: string | undefined): string {
  const { errors, launch } = profile;
  const { code, message, status } = failure;
  const answered = `the service answered ${failureText(failure)}${says === undefined ? "" : `, and ${says}`}`;
  if (status === COOLING_DOWN_STATUS && errors?.code === undefined) {
    return `${answered}, and the profile does not say where an error carries its code: with errors.code, an offer that is cooling down would be a definite refusal`;
  }
  const isUncertain = refusalsOf(profile) === "uncertain";
  if (DEFINITE_IF_UNDERSTOOD.has(status) && !isUncertain && code === undefined && message === undefined) {
    return `${answered}, but its error body was not understood: with errors.code or errors.message in the profile it would be a definite refusal`;
  }
  const why = launch?.refusals === undefined ? ", as it is without a marker" : "";
  const uncertain = isUncertain && status >= 400 && status < 500 ? ` (launch.refusals: uncertain${why})` : "";
  const remedy =
    code === undefined || status >= 500
      ? ""
      : ` (if ${JSON.stringify(code)} surely says it, write it into errors.definite.codes of the profile)`;
  return `${answered}, which does not say that nothing was launched${uncertain}${remedy}`;
}

function classifyAccepted(
  response: HttpResponse,
  launch: WireProfile["launch"],
  readDeployment: RecordReader<Deployment>,
  redact: Redaction,
): LaunchAnswer {
  const unknown = (why: string): LaunchAnswer => ({
    kind: "unknown",
    reason: `the launch was answered with ${response.status}, but ${why}`,
  });
  if (typeof launch?.id === "object") {
    const id = idIn(response.body);
    if (id !== undefined) return { kind: "accepted", id, deployment: {} };
    return unknown(`its text is no id (launch.id): ${beginningOf(response, redact)}`);
  }
  let json: Json;
  try {
    json = parseJson(response.body);
  } catch {
    return unknown(`not with JSON: ${beginningOf(response, redact)}`);
  }
  const record = launch?.deployment === undefined ? undefined : valueAt(json, launch.deployment);
  const read = record === undefined ? undefined : readDeployment(record);
  const deployment: Partial<Deployment> = (read instanceof Flawed ? read.value : read) ?? {};
  if (launch?.id === undefined && launch?.deployment === undefined) {
    return unknown("the profile does not say where the answer carries the deployment id: add launch.id");
  }
  const id = launch.id === undefined ? deployment.id : readName(valueAt(json, launch.id));
  if (id === undefined)
    return unknown(`there is no deployment id at ${launch.id ?? `${launch.deployment}/id`}`);
  if (deployment.id !== undefined && deployment.id !== id) {
    return unknown(
      `launch.id and launch.deployment show two different ids: ${redact.text(id)} and ${redact.text(deployment.id)}`,
    );
  }
  return { kind: "accepted", id, deployment };
}

/** The id that an answer is: a text or a number in JSON, or plain text of one word. Markup and sentences are none. */
function idIn(body: string): string | undefined {
  const text = body.trim();
  let json: Json = text;
  try {
    json = parseJson(text);
  } catch {
    // A plain text.
  }
  const id = readName(json);
  return id !== undefined && /^[\w.:@~+=/-]+$/.test(id) ? id : undefined;
}
