/** A set-up step that failed and has already said what to do about it: shown without a stack. */
export class SetupError extends Error {
  /** @override */
  name = "SetupError";
}
