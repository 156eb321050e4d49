/** Where a process touches the world. */
export type EffectKind = "commit" | "read" | "get" | "post" | "stop" | "sleep" | "lease";

/** What happens to a process at one of its effects. */
export type Blow =
  | { readonly kind: "crash"; readonly when: "before" | "after" }
  /** Falls before the effect, or after it, when the process has the answer already. */
  | { readonly kind: "pause"; readonly ms: number; readonly when?: "before" | "after" }
  | { readonly kind: "ledgerError"; readonly when: "before" | "after" };
