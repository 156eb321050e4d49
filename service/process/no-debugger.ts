/**
 * SIGUSR1 would open Node's debugger, to every user of this host, in a process that holds the key, and SIGUSR2 would
 * end it. Called before anything else is loaded.
 */
export function noDebugger(): void {
  for (const signal of ["SIGUSR1", "SIGUSR2"] as const) process.on(signal, () => undefined);
}
