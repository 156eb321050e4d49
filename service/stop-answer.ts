import { ACTIVE_STATES, TERMINAL_STATES } from "./contract/contract.ts";
import type { StopAnswer } from "./contract/service.ts";
import type { HttpResponse } from "./contract/transport.ts";
import { type Failure, failureText, readFailure } from "./http/failure.ts";
import { standingIn } from "./launch-answer.ts";
import type { WireProfile } from "./profile/profile.ts";
import type { Redaction } from "./text/redaction.ts";

/** What the answer to a stop of `id` means. A stop is over by none of them: only what the service shows ends a machine. */
export function classifyStop(
  id: string,
  response: HttpResponse,
  profile: WireProfile,
  now: number,
  redact: Redaction,
): StopAnswer {
  const failure = readFailure(response, profile.errors, now);
  const { status, code, retryAfter } = failure;
  const isGood = status >= 200 && status < 300;
  const { statuses, codes } = profile.stop?.gone ?? {};
  const isGone = (!isGood && statuses?.includes(status)) || (code !== undefined && codes?.includes(code));
  const reason = redact.text(`the service answered ${failureText(failure)}`, 500);
  if (isGone)
    return {
      kind: "gone",
      said: `${reason}, which the profile takes for nothing left to stop (stop.gone)`,
    };
  const { accepted } = profile.stop ?? {};
  const says = standingIn(response, accepted?.pointer);
  const isWord = accepted?.is.some((each) => each === says);
  const refusal =
    !isGood || isWord === false ? "sure" : isWord ? undefined : refusalIn(response, failure, id, profile);
  if (refusal === "sure") {
    const word =
      isGood && accepted
        ? `; ${accepted.pointer} says ${redact.text(JSON.stringify(says) ?? "nothing", 100)}, which is no word of stop.accepted`
        : "";
    return { kind: "failed", reason: reason + word, ...(retryAfter === undefined ? {} : { retryAfter }) };
  }
  return { kind: "accepted", said: refusal === "unsure" ? reason : `the service answered ${status}` };
}

/**
 * Whether a 2xx says that it stops nothing, where the profile has no `stop.accepted`: by the boolean that accepts launches, or
 * by a code and a message where the profile says that errors have theirs. What may stand in any answer says nothing: a number, a
 * state, the id.
 */
function refusalIn(
  response: HttpResponse,
  { code, message }: Failure,
  id: string,
  { launch, errors, deployments }: WireProfile,
): "sure" | "unsure" | undefined {
  const { accepted } = launch ?? {};
  const says = standingIn(response, accepted?.pointer);
  if (accepted?.is.some((each) => each === says)) return undefined;
  if (says === false && accepted?.is.includes(true)) return "sure";
  const { aliases = {}, terminal = [], replace = [] } = deployments?.states ?? {};
  const states = [...ACTIVE_STATES, ...TERMINAL_STATES, ...Object.keys(aliases), ...terminal, ...replace];
  if (code === undefined || code === id || SAYS_NOTHING.test(code) || states.includes(code)) return undefined;
  // Where answers of success have the place of the code, too, such as /id, they have no message.
  return errors?.message !== undefined && message === undefined ? "unsure" : "sure";
}

const SAYS_NOTHING = /^([\d.-]+|ok|okay|success|successful|succeeded|accepted|done|none)$/i;
