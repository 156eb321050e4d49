import { contextOf, type Keeper } from "../../../launch/keeper.ts";
import type { History } from "../../../ledger/chart-history.ts";
import { here } from "../../../ledger/instant.ts";
import { readDraft } from "../../../ledger/read-draft.ts";
import { type FleetkeeperError, isLedgerBusy } from "../../../service/contract/errors.ts";
import { type Moments, momentsIn } from "../../fleet/text/format.ts";
import type { OidcTokens } from "../../orders/oidc.ts";
import type { TickReport } from "../../reconcile/tick.ts";
import { accountStatus } from "../../status/account-status.ts";
import type { StackCalls } from "./api/stacks.ts";
import { ChartSampler } from "./measures/chart-sampler.ts";
import { healthOf, readinessOf } from "./measures/health.ts";
import { createMetrics } from "./measures/metrics.ts";
import { Pulse } from "./measures/pulse.ts";
import { timedService } from "./measures/timed-service.ts";
import { shownWholes } from "./pages/whole-shown.ts";
import type { HttpAddress } from "./reach/address.ts";
import { KnownSecrets } from "./reach/known-secrets.ts";
import { type HttpServer, newPart } from "./reach/listening.ts";
import { Sessions } from "./reach/sessions.ts";
import { addAccountPages, startHttpServer } from "./server.ts";
import type { AccountPages } from "./services.ts";

export interface WatchOptions<K extends Keeper> {
  readonly keeper: K;
  readonly history: History;
  /** What orders are written with, whichever agent keeps the account. Default: the keeper. */
  readonly orders?: Keeper;
  /** Tokens of issuers that are trusted. */
  readonly oidc?: OidcTokens;
  /** Who answers what stacks ask. */
  readonly stacks?: StackCalls;
  readonly version: string;
  /** How times are written. Default: as this machine does. */
  readonly moments?: Moments;
  /** Takes secrets out of a text that is shown. Default: it knows none. */
  readonly hide?: (text: string) => string;
}

/** Writes what one agent's loop reports to history, metrics and page. Close it before the keeper. */
export interface Watch<K extends Keeper> {
  /** The keeper for the loop: that of the watch, with its requests timed. */
  readonly keeper: K;
  onTick(report: TickReport): void;
  onError(error: FleetkeeperError, retryMs: number): void;
  /** Another agent keeps the account. Called again and again for as long as it does. */
  onStandby(): void;
  /** What is wrong with the settings now; undefined if nothing is. */
  onProblem(problem: string | undefined): void;
  /** Throws CONFIG if it cannot listen at the address. */
  serve(address: HttpAddress, token: string | undefined): Promise<HttpServer>;
  /** What a server of several accounts serves of this one, under a path such as /services/acme. It ends with the watch. */
  pages(base: string): AccountPages;
  /** Resolves when all that was reported is recorded. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

export function watch<K extends Keeper>(options: WatchOptions<K>): Watch<K> {
  const { history, version, moments = momentsIn(), hide = (text) => text } = options;
  const { clock } = options.keeper;
  const { orders = options.keeper } = options;
  const metrics = createMetrics(version, options.keeper.service.abilities.currency);
  const service = timedService(options.keeper.service, () => here(clock).mono, metrics.request);
  const keeper: K = { ...options.keeper, service };
  const pulse = new Pulse(clock);
  const recorder = new ChartSampler(keeper, history, metrics.recovered);
  const closing = new AbortController();
  const open: { close(): unknown }[] = [];
  const secrets = new KnownSecrets(keeper, options.oidc);
  const { ledger, account } = keeper;
  const sessions = new Sessions(
    `${ledger.id} ${account}`,
    () => here(clock).mono,
    (actor) => secrets.isStill(actor),
  );
  const shown = {
    keeper,
    history,
    pulse,
    short: recorder.short,
    moments,
    version,
    hide,
    metrics,
    secrets,
    sessions,
    orders,
    stacks: options.stacks,
  };
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
      const server = await startHttpServer({ ...shown, address, token });
      open.push(server);
      return server;
    },
    pages: (base) => {
      const app = newPart(base);
      open.push(addAccountPages(app, shown));
      return {
        app,
        health: () => healthOf(keeper, pulse),
        readiness: () => readinessOf(keeper, pulse),
        mayRead: async (secret) => (await secrets.share(secret)) !== undefined,
        actorOf: (secret) => secrets.actor(secret),
        isKnown: (secret) => secrets.isKnown(secret),
        sessions,
        status: () => accountStatus(keeper.ledger, keeper.account, contextOf(keeper)),
        wholes: () => shownWholes({ keeper, hide }),
        version,
        keeper,
        orders,
        hide,
        account: async () => (await readDraft(keeper)).account,
        seen: () => ({ ledger: keeper.ledger, history, context: contextOf(keeper) }),
      };
    },
    settled: () => recording,
    close: async () => {
      closing.abort(new Error("the agent stops"));
      await Promise.all(open.map((each) => each.close()));
      await recording;
    },
  };
}
