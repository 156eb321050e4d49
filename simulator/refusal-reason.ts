/** Why the service refuses, before a dialect puts it into words. */
export type RefusalReason =
  | { readonly kind: "unauthorized"; readonly message: string }
  /** `byId`: a GET of a deployment that does not exist. */
  | { readonly kind: "notFound"; readonly message: string; readonly byId?: true }
  | { readonly kind: "methodNotAllowed"; readonly message: string }
  /** The request is not understood, or names an offer that does not exist. */
  | { readonly kind: "invalid"; readonly message: string }
  | { readonly kind: "insufficientBalance"; readonly message: string }
  /** Specified: 503, `offer_cooling_down`, `Retry-After` (section 7). */
  | { readonly kind: "coolingDown"; readonly message: string; readonly waitMs: number }
  /** The machine is already stopping, or it has ended. */
  | { readonly kind: "notStoppable"; readonly message: string }
  | { readonly kind: "tooManyRequests"; readonly message: string; readonly waitMs: number }
  /** `machine`: the id of the one that was made all the same, where the answer may carry it. */
  | {
      readonly kind: "serverError";
      readonly message: string;
      readonly status: number;
      readonly machine?: string | undefined;
    };
