import type { Keeper } from "../../../launch/keeper.ts";
import type { History } from "../../../ledger/chart-history.ts";
import { here } from "../../../ledger/instant.ts";
import type { FleetkeeperError } from "../../../service/errors.ts";
import { isLedgerBusy } from "../../../service/errors.ts";
import type { Moments } from "../../fleet/format.ts";
import { momentsIn } from "../../fleet/format.ts";
import type { TickReport } from "../../reconcile/tick.ts";
import type { HttpAddress } from "./address.ts";
import type { HttpServer } from "./listening.ts";
import { createMetrics } from "./metrics.ts";
import { Pulse } from "./pulse.ts";
import { Recorder } from "./recorder.ts";
import { startHttpServer } from "./server.ts";
import { timedService } from "./timed-service.ts";

export interface WatchOptions<K extends Keeper> {
  readonly keeper: K;
  readonly history: History;
  readonly version: string;
  /** How times are written. Default: as this machine does. */
  readonly moments?: Moments;
}

/** Writes what one agent's loop reports to history, metrics and page. Close it before the keeper. */
export interface Watch<K extends Keeper> {
  /** The same keeper for the loop, with its requests timed. */
  readonly keeper: K;
  onTick(report: TickReport): void;
  onError(error: FleetkeeperError, retryMs: number): void;
  /** Another agent keeps the account. Called again and again for as long as it does. */
  onStandby(): void;
  /** What is wrong with the settings now; undefined if nothing is. */
  onProblem(problem: string | undefined): void;
  /** Throws CONFIG if it cannot listen at the address. */
  serve(address: HttpAddress, token: string | undefined): Promise<HttpServer>;
  /** Resolves when all that was reported is recorded. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

export function watch<K extends Keeper>(options: WatchOptions<K>): Watch<K> {
  const { history, version, moments = momentsIn() } = options;
  const { clock } = options.keeper;
  const metrics = createMetrics(version);
  const service = timedService(options.keeper.service, () => here(clock).mono, metrics.request);
  const keeper: K = { ...options.keeper, service };
  const pulse = new Pulse(clock);
  const recorder = new Recorder(keeper, history, metrics.recovered);
  const closing = new AbortController();
  const servers: HttpServer[] = [];
  let recording = Promise.resolve();
  let queued = false;
  /** One at a time, and at most one waits. Errors are ignored: the loop meets the same ledger and reports. */
  const record = (): void => {
    if (queued || closing.signal.aborted) return;
    queued = true;
    recording = recording
      .then(() => {
        queued = false;
        return recorder.record(closing.signal);
      })
      .catch(() => undefined)
      .then(() => pulse.changed());
  };
  return {
    keeper,
    onTick: ({ wake, believed }) => {
      pulse.ticked(wake, believed);
      record();
    },
    onError: (error, retryMs) => {
      pulse.failedWith(error.message, retryMs, isLedgerBusy(error));
      record();
    },
    onStandby: () => pulse.stoodBy(),
    onProblem: (problem) => {
      pulse.problem = problem;
      pulse.changed();
    },
    serve: async (address, token) => {
      const shown = { keeper, history, pulse, short: recorder.short, moments, version };
      const server = await startHttpServer({ ...shown, address, token, metrics });
      servers.push(server);
      return server;
    },
    settled: () => recording,
    close: async () => {
      closing.abort(new Error("the agent stops"));
      await Promise.all(servers.map((server) => server.close()));
      await recording;
    },
  };
}
