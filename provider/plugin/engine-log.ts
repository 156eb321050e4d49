import { EngineClient, grpc, LogRequest, LogSeverity, NO_LIMIT } from "./sdk.ts";

/** The lines that an engine shows, each with the resource that it belongs to. A plugin's stdout is not shown. */
export class EngineLog {
  readonly #client: InstanceType<typeof EngineClient> | undefined;
  /** Ends when the newest line was taken. */
  #taken: Promise<void> = Promise.resolve();

  constructor(address: string | undefined) {
    if (address) this.#client = new EngineClient(address, grpc.credentials.createInsecure(), NO_LIMIT);
  }

  /** `urn`: the resource, or "" for none. A line that nobody takes is no error: its engine is gone. */
  say(urn: string, text: string, level?: "warning"): void {
    const client = this.#client;
    if (!client) return;
    const severity = level === undefined ? LogSeverity.INFO : LogSeverity.WARNING;
    const request = new LogRequest().setSeverity(severity).setMessage(text).setUrn(urn);
    // One after the other: of calls that are under way together an engine may show the later one first.
    this.#taken = this.#taken.then(
      () => new Promise<void>((resolve) => client.log(request, () => resolve())),
    );
  }

  /** Resolves once all that was said has been taken. */
  flush(): Promise<void> {
    return this.#taken;
  }

  close(): void {
    this.#client?.close();
  }
}
