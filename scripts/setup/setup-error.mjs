/** A set-up step that failed. Its message holds the remedy and is shown without a stack trace. */
export class SetupError extends Error {
  /** @override */
  name = "SetupError";
}
