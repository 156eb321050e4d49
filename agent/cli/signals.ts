import { isatty } from "node:tty";
import { noDebugger } from "../../service/process/no-debugger.ts";

/** What the signals of this process mean for its command. */
export interface Signals {
  readonly stopping: AbortController;
  /** From now on SIGINT and SIGTERM end what is under way in order, and not at once. */
  begin(): void;
  /** Calls `listener` at each SIGHUP, unless a terminal was closed: that ends the process as usual. */
  onHangup(listener: () => void): void;
}

/**
 * Listens to the signals of the command line. Called before anything else is loaded: a service manager sends SIGHUP
 * at a reload and SIGTERM at a stop, however young the process is, and each would end it without a word.
 */
export function listenToSignals(): Signals {
  noDebugger();
  const isAgent = process.argv.slice(2).find((argument) => !argument.startsWith("-")) === "agent";
  const stopping = new AbortController();
  let isBegun = false;
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => {
      if (!isBegun) {
        process.stderr.write(`${signal}: ended before anything was begun.\n`);
        // As an agent ends that was asked to: a service manager takes anything else for a failure.
        process.exit(isAgent ? 0 : 130);
      }
      // The second signal does not wait for what is under way: the ledger knows about it.
      if (stopping.signal.aborted) process.exit(130);
      stopping.abort(new Error(`stopped by ${signal}`));
      process.stderr.write(`${signal}: finishing what is in flight; once more to exit at once.\n`);
    });
  }
  const onHangup = (listener: () => void): void => {
    if (!isatty(1)) process.on("SIGHUP", listener);
  };
  // The fleet file is read before the first round, so there is nothing to do yet.
  if (isAgent) onHangup(() => undefined);
  return {
    stopping,
    begin: () => {
      isBegun = true;
    },
    onHangup,
  };
}
