import { COOLING_DOWN_STATUS, OFFER_COOLING_DOWN } from "./contract/contract.ts";
import type { Deployment, Json, LaunchAnswer } from "./contract/service.ts";
import { type HttpResponse, TransportError } from "./contract/transport.ts";
import { beginningOf, type Failure, failureText, readFailure } from "./http/failure.ts";
import type { WireProfile } from "./profile/profile.ts";
import { Flawed, type RecordReader } from "./record/record-field.ts";
import { parseJson, readName } from "./text/json.ts";
import { valueAt } from "./text/pointer.ts";
import type { Redaction } from "./text/redaction.ts";

/** Statuses that HTTP itself defines as given before anything is carried out. */
const DEFINITE: ReadonlySet<number> = new Set([401, 403, 404, 405, 413, 415]);
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
  if (response.status >= 200 && response.status < 300)
    return classifyAccepted(response, profile.launch, readDeployment, redact);

  const failure = readFailure(response, profile.errors, now);
  if (!isDefinite(failure, profile.errors))
    return { kind: "unknown", reason: redact.text(unknownReason(failure, profile.errors), 500) };
  const { status, code, message, retryAfter } = failure;
  return {
    kind: "rejected",
    status,
    ...(code === undefined ? {} : { code: redact.text(code) }),
    ...(message === undefined ? {} : { message: redact.text(message, 1000) }),
    ...(retryAfter === undefined ? {} : { retryAfter }),
  };
}

export function classifyLaunchError(error: unknown, redact: Redaction): LaunchAnswer {
  const reason = redact.cause(error).message;
  if (!(error instanceof TransportError)) return { kind: "unknown", reason };
  return error.code === "NOT_SENT" ? { kind: "notSent", reason } : { kind: "unknown", reason, lost: true };
}

function isDefinite({ status, code, message }: Failure, errors: WireProfile["errors"]): boolean {
  if (status < 400) return false;
  if (status === COOLING_DOWN_STATUS && code === OFFER_COOLING_DOWN) return true;
  if (errors?.definite.statuses?.includes(status)) return true;
  if (code !== undefined && errors?.definite.codes?.includes(code)) return true;
  if (DEFINITE.has(status)) return true;
  return DEFINITE_IF_UNDERSTOOD.has(status) && (code !== undefined || message !== undefined);
}

function unknownReason(failure: Failure, errors: WireProfile["errors"]): string {
  const answered = `the service answered ${failureText(failure)}`;
  if (failure.status === COOLING_DOWN_STATUS && errors?.code === undefined) {
    return `${answered}, and the profile does not say where an error carries its code: with errors.code, an offer that is cooling down would be a definite refusal`;
  }
  if (DEFINITE_IF_UNDERSTOOD.has(failure.status)) {
    return `${answered}, but its error body was not understood: with errors.code or errors.message in the profile it would be a definite refusal`;
  }
  const { code, status } = failure;
  const remedy =
    code === undefined || status >= 500
      ? ""
      : ` (if ${JSON.stringify(code)} surely says it, write it into errors.definite.codes of the profile)`;
  return `${answered}, which does not say that nothing was launched${remedy}`;
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
