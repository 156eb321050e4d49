/** Why fleetkeeper could not do what was asked. The texts are for people; `code` is for programs and is stable. */
export type ErrorCode =
  /** A profile or fleet file, a flag or an environment variable is wrong. Exit code 2. */
  | "CONFIG"
  /** The profile lacks a part that this operation needs. Exit code 2. */
  | "PROFILE_PART_MISSING"
  /** The credential is missing (2), or the service refused it (401, 403). */
  | "CREDENTIAL"
  | "UNREACHABLE"
  /** The service answered, but not as the specification and the profile say. */
  | "UNREADABLE_ANSWER"
  /** A list that cannot be known to be whole. */
  | "LIST_INCOMPLETE"
  /** The service refused the request. */
  | "REFUSED"
  /** The ledger cannot be used (locked, newer, corrupt, not on a local disk). */
  | "LEDGER"
  /** The key opens another account than the ledger's rows name. */
  | "WRONG_ACCOUNT"
  /** A mistake of fleetkeeper itself, noticed before it was stored. */
  | "INTERNAL";

/** The one base of the errors this package throws on purpose: what is wrong, with which value, and the remedy. */
export class FleetkeeperError extends Error {
  readonly code: ErrorCode;
  /** HTTP status, where an answer caused it. */
  readonly status: number | undefined;
  /** Seconds for which the service asked not to be asked again, where that answer said so. */
  readonly retryAfter: number | undefined;
  /** A ledger that another process has locked, or that has no room on its disk: waiting may change that. */
  readonly passing: boolean;

  constructor(
    code: ErrorCode,
    message: string,
    options?: ErrorOptions & { status?: number; retryAfter?: number | undefined; passing?: boolean },
  ) {
    super(message, options);
    this.name = "FleetkeeperError";
    this.code = code;
    this.status = options?.status;
    this.retryAfter = options?.retryAfter;
    this.passing = options?.passing === true;
  }
}

/** The end of a `switch` over kinds: one that was forgotten does not compile. What no type foresaw, such as a damaged row, is told. */
export function unhandled(value: never): never {
  throw new FleetkeeperError(
    "INTERNAL",
    `${JSON.stringify(value)} is none of the kinds that fleetkeeper knows here. Please report this text.`,
  );
}
