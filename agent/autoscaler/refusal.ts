import { FleetkeeperError } from "../../service/contract/errors.ts";

/** The statuses of gRPC that are answered. */
export const STATUS = {
  INVALID_ARGUMENT: 3,
  NOT_FOUND: 5,
  PERMISSION_DENIED: 7,
  FAILED_PRECONDITION: 9,
  OUT_OF_RANGE: 11,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
  UNAUTHENTICATED: 16,
} as const;

/** Why a call is not carried out, as gRPC sends it. */
export interface Refusal extends Error {
  readonly code: number;
  readonly details: string;
}

export function refusal(status: keyof typeof STATUS, details: string): Refusal {
  return Object.assign(new Error(details), { code: STATUS[status], details });
}

/** What went wrong with the agent, in gRPC's words. The client's texts have no secret. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof Error && "details" in error && "code" in error) return error as Refusal;
  if (!(error instanceof FleetkeeperError)) return refusal("INTERNAL", String(error));
  const { code, status, message } = error;
  if (code === "CREDENTIAL")
    return refusal(status === 403 ? "PERMISSION_DENIED" : "UNAUTHENTICATED", message);
  if (code === "CONFIG") return refusal("FAILED_PRECONDITION", message);
  return refusal(code === "INTERNAL" ? "INTERNAL" : "UNAVAILABLE", message);
}
