/**
 * Why fleetkeeper could not do what was asked: one code for one cause. The texts are for people; `code` is
 * for programs and is stable. {@link CAUSES} says what follows from each.
 */
export type ErrorCode =
  /** A profile or fleet file, a flag or an environment variable is wrong. */
  | "CONFIG"
  /** The profile lacks a part that this operation needs. */
  | "PROFILE_PART_MISSING"
  /** The credential is missing, or the service refused it (401, 403: then there is a status). */
  | "CREDENTIAL"
  /** The key opens another account than the ledger's rows name. */
  | "WRONG_ACCOUNT"
  /** No answer came. */
  | "UNREACHABLE"
  /** The service answered, but not as the specification and the profile say. */
  | "UNREADABLE_ANSWER"
  /** It is uncertain whether the list is complete. */
  | "LIST_INCOMPLETE"
  /** The service refused the request. */
  | "REFUSED"
  /** The ledger cannot be used: it is newer, damaged, moved, or not on a local disk. */
  | "LEDGER"
  /** The ledger cannot be written now: another process has it locked, or its disk is full. */
  | "LEDGER_BUSY"
  /** Something else is under way: another agent, or a launch that has to be resolved first. */
  | "BUSY"
  /** This agent does not keep the account any more, or not yet: nothing that it decides is stored. */
  | "NOT_HOLDER"
  /** A decision would have broken a rule of money by a mistake of fleetkeeper: it stored nothing, and the account is halted. */
  | "UNSOUND"
  /** A mistake of fleetkeeper itself, noticed before it was stored. */
  | "INTERNAL";

interface Cause {
  /** Where the mistake is. */
  readonly of: "given" | "service" | "ledger" | "others" | "fleetkeeper";
  /** Of the command line. 2: an argument or a file is wrong. 1: the same command may succeed later. */
  readonly exitCode: 1 | 2;
  /** Waiting changes nothing: an agent ends. A wrong file is not final: it may be corrected meanwhile. */
  readonly final: boolean;
}

export const CAUSES: Readonly<Record<ErrorCode, Cause>> = {
  CONFIG: { of: "given", exitCode: 2, final: false },
  PROFILE_PART_MISSING: { of: "given", exitCode: 2, final: true },
  CREDENTIAL: { of: "given", exitCode: 2, final: false },
  WRONG_ACCOUNT: { of: "given", exitCode: 2, final: true },
  UNREACHABLE: { of: "service", exitCode: 1, final: false },
  UNREADABLE_ANSWER: { of: "service", exitCode: 1, final: false },
  LIST_INCOMPLETE: { of: "service", exitCode: 1, final: false },
  REFUSED: { of: "service", exitCode: 1, final: false },
  LEDGER: { of: "ledger", exitCode: 1, final: true },
  LEDGER_BUSY: { of: "ledger", exitCode: 1, final: false },
  BUSY: { of: "others", exitCode: 1, final: false },
  NOT_HOLDER: { of: "others", exitCode: 1, final: true },
  UNSOUND: { of: "fleetkeeper", exitCode: 1, final: false },
  INTERNAL: { of: "fleetkeeper", exitCode: 1, final: true },
};

/** The base of every error thrown on purpose: it says what is wrong, with which value, and the remedy. */
export class FleetkeeperError extends Error {
  readonly code: ErrorCode;
  /** HTTP status, where an answer caused it. */
  readonly status: number | undefined;
  /** Seconds for which the service asked not to be asked again, if the answer said so. */
  readonly retryAfter: number | undefined;
  /** The code in the service's answer, where the profile says where it stands. */
  readonly said: string | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    options?: ErrorOptions & { status?: number; retryAfter?: number | undefined; said?: string | undefined },
  ) {
    super(message, options);
    this.name = "FleetkeeperError";
    this.code = code;
    this.status = options?.status;
    this.retryAfter = options?.retryAfter;
    this.said = options?.said;
  }
}

/** True if waiting may help. */
export function isPassing(error: unknown): error is FleetkeeperError {
  return error instanceof FleetkeeperError && !CAUSES[error.code].final;
}

/** True if the ledger cannot be written now, but may be soon. */
export function isLedgerBusy(error: unknown): error is FleetkeeperError & { readonly code: "LEDGER_BUSY" } {
  return error instanceof FleetkeeperError && error.code === "LEDGER_BUSY";
}

/** True if the ledger cannot be used, or not be written now. */
export function isOfLedger(error: unknown): boolean {
  return error instanceof FleetkeeperError && CAUSES[error.code].of === "ledger";
}

/** True if the service cannot be read or refuses the request. One such read spoils nothing else. */
export function isOfService(error: unknown): error is FleetkeeperError {
  return error instanceof FleetkeeperError && CAUSES[error.code].of === "service";
}

/** True if the service is down, or was asked too often. A refusal (wrong key or address) is not that. */
export function isDown(error: unknown): error is FleetkeeperError {
  if (!(error instanceof FleetkeeperError)) return false;
  const { code, status = 0 } = error;
  return code === "UNREACHABLE" || status >= 500 || status === 429;
}

/** True if everything must end: the ledger cannot be used, another agent has taken over, or the program has a mistake. */
export function endsAll(error: unknown): boolean {
  if (!(error instanceof FleetkeeperError) || isOfLedger(error)) return true;
  return error.code === "INTERNAL" || isNotHolder(error);
}

/** True if another agent keeps the account. */
/** Its error is none that this says is to be passed over. */
export async function unless(isPassedOver: (error: unknown) => boolean, work: Promise<void>): Promise<void> {
  await work.catch((error: unknown) => {
    if (!isPassedOver(error)) throw error;
  });
}

export function isNotHolder(error: unknown): boolean {
  return error instanceof FleetkeeperError && error.code === "NOT_HOLDER";
}

/** The end of a `switch`: a forgotten kind does not compile, one of a damaged row throws INTERNAL. */
export function unhandled(value: never): never {
  throw new FleetkeeperError(
    "INTERNAL",
    `${JSON.stringify(value)} is none of the kinds that fleetkeeper knows here. Please report this text.`,
  );
}
