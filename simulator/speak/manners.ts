import type { RefusalReason } from "../refusal-reason.ts";

/** What a wire profile cannot say about a service. The simulator chooses it for each dialect. */
export interface Manners {
  readonly launchStatus: 200 | 201 | 202;
  readonly stopStatus: 200 | 202 | 204;
  /** How a field without a value is written. */
  readonly absent: "null" | "omit";
  readonly price: "text" | "number";
  /** A further place with the price of one GPU. A profile must not take it for the machine's price. */
  readonly pricePerGpuBeside?: string;
  readonly order: "oldest" | "newest";
  /** Items a page, where the profile names no size. */
  readonly pageSize: number;
  readonly refusals: Readonly<Record<RefusalKind, Refusal>>;
}

type RefusalKind = Exclude<RefusalReason["kind"], "coolingDown" | "notStoppable" | "serverError">;

interface Refusal {
  readonly status: number;
  readonly code: string;
}

/** Also used for users' own profiles. */
export const DEFAULT_MANNERS: Manners = {
  launchStatus: 201,
  stopStatus: 200,
  absent: "null",
  price: "text",
  order: "oldest",
  pageSize: 10,
  refusals: {
    unauthorized: { status: 401, code: "unauthorized" },
    notFound: { status: 404, code: "not_found" },
    methodNotAllowed: { status: 405, code: "method_not_allowed" },
    invalid: { status: 400, code: "invalid_request" },
    insufficientBalance: { status: 402, code: "insufficient_balance" },
    tooManyRequests: { status: 429, code: "too_many_requests" },
  },
};

export const NESTED_MANNERS: Manners = {
  ...DEFAULT_MANNERS,
  launchStatus: 202,
  stopStatus: 202,
  absent: "omit",
  price: "number",
  order: "newest",
  refusals: {
    ...DEFAULT_MANNERS.refusals,
    invalid: { status: 422, code: "unprocessable" },
    insufficientBalance: { status: 409, code: "credit_exhausted" },
  },
};

export const CAMEL_MANNERS: Manners = {
  ...DEFAULT_MANNERS,
  pricePerGpuBeside: "/pricePerGpu",
  refusals: {
    ...DEFAULT_MANNERS.refusals,
    insufficientBalance: { status: 402, code: "INSUFFICIENT_CREDITS" },
  },
};

export const LINK_MANNERS: Manners = {
  ...DEFAULT_MANNERS,
  launchStatus: 200,
  stopStatus: 204,
  absent: "omit",
  order: "newest",
  pageSize: 5,
  refusals: {
    ...DEFAULT_MANNERS.refusals,
    insufficientBalance: { status: 400, code: "NOT_ENOUGH_CREDITS" },
  },
};
