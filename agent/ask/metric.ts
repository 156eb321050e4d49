import { isDeepStrictEqual } from "node:util";
import type { Dispatcher } from "undici";
import { fromEnvironment } from "../../account/configuration.ts";
import type { Clock, Instant } from "../../ledger/instant.ts";
import { elapsed } from "../../ledger/instant.ts";
import { milliseconds } from "../../service/text/duration.ts";
import type { FleetDeclaration } from "../fleet/declare/fleets.ts";
import { asWhole } from "../fleet/size/asked-size.ts";
import { type Measured, storeMeasured } from "../fleet/size/metric.ts";
import type { Metric } from "../fleet/wish/metric-wish.ts";
import { parseWish } from "../fleet/wish/wish.ts";
import { exchangeText } from "./exchange.ts";
import { runHook } from "./hook.ts";
import type { Kind } from "./machine-watch.ts";
import { numberIn, valueIn, valueOfQuery } from "./metric-value.ts";
import { programOf } from "./programs.ts";

/** Whose metric it is: `source` says which programs may be run for it, and which secrets are sent. */
export type MetricOf = Pick<FleetDeclaration, "name" | "source"> & { readonly metric: Metric };

/** Asks once. Never throws: what cannot be asked is unknown. */
export type Measure = (of: MetricOf, signal: AbortSignal) => Promise<Measured>;

export interface MeasureOptions {
  /** For addresses of the user's, by the proxies that the environment names. */
  readonly agent: Dispatcher;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

const TIMEOUT_MS = 5_000;
const COMMAND_MS = 30_000;

export function measuring({ agent, environment }: MeasureOptions): Measure {
  const get = async (of: MetricOf, url: string, secret: Secret, signal: AbortSignal): Promise<string> => {
    refuseForeign(of, url, environment);
    const headers = headersFor(of, secret, environment);
    return exchangeText(agent, url, { method: "GET", headers }, TIMEOUT_MS, signal);
  };
  return async (of, signal) => {
    const { prometheus, http, command } = of.metric;
    try {
      if (prometheus) return valueOfQuery(await get(of, queryUrl(prometheus), prometheus.secret, signal));
      if (http) return valueIn(await get(of, http.url, http.secret, signal), http.pointer);
      return numberIn(await runCommand(of, command ?? [], environment, signal));
    } catch (error) {
      return { kind: "unknown", why: (error as Error).message };
    }
  };
}

type Secret = NonNullable<Metric["http"]>["secret"];

/** Who declares a stack may not have secrets of the agent's sent to an address. */
function headersFor(
  { source }: MetricOf,
  secret: Secret,
  environment: MeasureOptions["environment"],
): Record<string, string> {
  if (!secret) return {};
  if (!source.startsWith("file:"))
    throw new Error("secret is sent for fleets of a fleet file only, and not for those of a stack");
  const value = fromEnvironment(secret.env, environment);
  if (!value) throw new Error(`secret: ${secret.env} is not set, and ${secret.env}_FILE names no file`);
  return { authorization: value };
}

/** Else whoever declares by a stack or the API reads, number by number, what only the agent's host reaches. */
function refuseForeign({ source }: MetricOf, url: string, environment: MeasureOptions["environment"]): void {
  if (/^(file|program):/.test(source)) return;
  const { host } = new URL(url);
  const allowed = environment.FLEETKEEPER_METRIC_HOSTS?.split(/[\s,]+/) ?? [];
  if (!allowed.includes(host))
    throw new Error(
      `metrics of fleets of a stack or the API are read from the hosts in FLEETKEEPER_METRIC_HOSTS of the agent alone, and ${host} is not among them`,
    );
}

/** Whatever path the address has, as behind a proxy, stays before that of the API. */
function queryUrl({ url, query }: NonNullable<Metric["prometheus"]>): string {
  const asked = new URL(url);
  asked.pathname = `${asked.pathname.replace(/\/$/, "")}/api/v1/query`;
  asked.searchParams.set("query", query);
  return asked.href;
}

function runCommand(
  { name, source }: MetricOf,
  command: readonly string[],
  { PATH, HOME, FLEETKEEPER_COMMANDS }: MeasureOptions["environment"],
  signal: AbortSignal,
): Promise<string> {
  return runHook(
    {
      ...programOf(source, command, FLEETKEEPER_COMMANDS),
      environment: { PATH, HOME, FLEETKEEPER_FLEET: name },
      input: `${JSON.stringify({ fleet: name })}\n`,
      timeoutMs: COMMAND_MS,
    },
    signal,
  );
}

/** What fleets' sizes follow. Each is asked as often as its fleet says, and at most once a tick. `show` makes a text fit to be kept and shown. */
export function metrics(measure: Measure, clock: Pick<Clock, "now">, show: (text: string) => string): Kind {
  const asked = new Map<
    string,
    { readonly at: Instant; readonly metric: Metric; readonly measured?: Measured }
  >();
  return {
    due: (draft, { now }) => {
      for (const name of asked.keys()) if (!draft.fleets.get(name)) asked.delete(name);
      return [...draft.fleets.values()].map(asWhole).flatMap(({ name, source, wish, removed }) => {
        const { metric } = parseWish(wish);
        const last = asked.get(name);
        if (!metric || removed) return [];
        const isSame = last && isDeepStrictEqual(last.metric, metric);
        if (isSame && elapsed(last.at, now) < milliseconds(metric.every)) return [];
        const ask = async (signal: AbortSignal) => {
          const at = clock.now();
          asked.set(name, { at, metric });
          asked.set(name, { at, metric, measured: await measure({ name, source, metric }, signal) });
          return { kind: "good" } as const;
        };
        return [{ id: name, ask }];
      });
    },
    store: (draft, answered, context) => {
      for (const { id } of answered) {
        const { at, metric, measured } = asked.get(id) ?? {};
        const fleet = draft.fleets.get(id);
        // What was asked for another wish says nothing of this one.
        const isIts = fleet && isDeepStrictEqual(parseWish(asWhole(fleet).wish).metric, metric);
        if (!at || !measured || !isIts) continue;
        const shown = measured.kind === "value" ? measured : { ...measured, why: show(measured.why) };
        storeMeasured(draft, id, shown, at, context);
      }
    },
  };
}
