import { EngineClient, grpc, LogRequest, LogSeverity, NO_LIMIT } from "./sdk.ts";

/** The lines that an engine shows, each with the resource that it belongs to. A plugin's stdout is not shown. */
export class EngineLog {
  readonly #client: InstanceType<typeof EngineClient> | undefined;
  readonly #underWay = new Set<Promise<void>>();

  constructor(address: string | undefined) {
    if (address) this.#client = new EngineClient(address, grpc.credentials.createInsecure(), NO_LIMIT);
  }

  /** `urn`: the resource, or "" for none. A line that nobody takes is no error: its engine is gone. */
  say(urn: string, text: string, level?: "warning"): void {
    const client = this.#client;
    if (!client) return;
    const severity = level === undefined ? LogSeverity.INFO : LogSeverity.WARNING;
    const request = new LogRequest().setSeverity(severity).setMessage(text).setUrn(urn);
    const sending = new Promise<void>((resolve) => client.log(request, () => resolve()));
    this.#underWay.add(sending);
    void sending.then(() => this.#underWay.delete(sending));
  }

  /** Resolves once all that was said has been taken. */
  async flush(): Promise<void> {
    await Promise.all(this.#underWay);
  }

  close(): void {
    this.#client?.close();
  }
}
