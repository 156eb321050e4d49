/** Where a process touches the world. */
export type EffectKind = "commit" | "read" | "get" | "post" | "stop" | "sleep";

/** What happens to a process at one of its effects. */
export type Blow =
  | { readonly kind: "crash"; readonly when: "before" | "after" }
  /** Before the effect, unless it says after: then with the answer in its hands. */
  | { readonly kind: "pause"; readonly ms: number; readonly when?: "before" | "after" }
  | { readonly kind: "ledgerError"; readonly when: "before" | "after" };
