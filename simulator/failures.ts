import {
  FAILURE_DUPLICATE_REQUEST,
  FAILURE_PLATFORM_PROVIDER_ISSUE,
  FAILURE_UNKNOWN,
} from "../service/contract/contract.ts";

/** Why a launch failed after it was accepted: the three fields that explain it (specification, section 2). */
export interface Failure {
  readonly code: string;
  readonly reason: string;
  readonly suggestedAction: string;
  /** Ground truth only: no answer carries it. */
  readonly retryable: boolean;
}

/** The failures that happen by chance. The last two codes are invented: the full list is not specified. */
export const FAILURES: readonly Failure[] = [
  {
    code: FAILURE_PLATFORM_PROVIDER_ISSUE,
    reason: "The provider could not start the machine.",
    suggestedAction: "Wait a moment and try again, or choose another offer.",
    retryable: true,
  },
  {
    code: FAILURE_UNKNOWN,
    reason: "The launch failed for an unknown reason.",
    suggestedAction: "Contact support with the deployment ID.",
    retryable: false,
  },
  {
    code: FAILURE_DUPLICATE_REQUEST,
    reason: "The provider reported a duplicate request.",
    suggestedAction: "Contact support with the deployment ID.",
    retryable: false,
  },
  {
    code: "CONNECTION_TIMEOUT",
    reason: "The machine started but could not be reached.",
    suggestedAction: "Try again.",
    retryable: true,
  },
  {
    code: "GPU_SELF_TEST_FAILED",
    reason: "The GPUs of the machine did not pass their self test.",
    suggestedAction: "Choose another offer.",
    retryable: false,
  },
];

/** A whole failure, from the parts that a test or a person names. */
export function failureOf(partial: Partial<Failure> = {}): Failure {
  const code = partial.code ?? FAILURE_PLATFORM_PROVIDER_ISSUE;
  const known = FAILURES.find((failure) => failure.code === code);
  const retryable = partial.retryable ?? known?.retryable ?? false;
  return {
    code,
    reason: partial.reason ?? known?.reason ?? `The launch failed with ${code}.`,
    suggestedAction:
      partial.suggestedAction ??
      known?.suggestedAction ??
      (retryable ? "Try again." : "Choose another offer."),
    retryable,
  };
}
