import { age } from "../ledger/instant.ts";
import type { AccountRow } from "../ledger/rows.ts";
import { durationOf } from "../service/duration.ts";
import type { Context, ProtocolSettings } from "./context.ts";
import { PROTOCOL_ENVIRONMENT } from "./settings-environment.ts";

/** Why the newest full list is no baseline for a launch; undefined: it is one. */
export function whyStale({ list }: AccountRow, { now, settings }: Context): string | undefined {
  const old = list ? age(list, now) : Number.POSITIVE_INFINITY;
  if (old <= settings.poll) return undefined;
  const is = Number.isFinite(old)
    ? `was asked for ${seconds(old)} ago`
    : "was asked for before this machine started";
  const what = list ? `the newest full list ${is}` : "no full list has been taken yet";
  return `${what}, and a launch needs one from the last ${seconds(settings.poll)} (one poll interval)`;
}

/**
 * What to do where a list takes so long that it is too old for a launch when it ends: without a word about it nothing
 * would ever be launched, and nobody would know why. Undefined: this one was quick enough.
 */
export function slowList(took: number, { poll }: ProtocolSettings): string | undefined {
  if (took <= poll) return undefined;
  const longer = durationOf(2 * Math.ceil(took / 1000) * 1000);
  return (
    `the list itself took ${seconds(took)}: let the profile ask for larger pages or more often (pagination, ` +
    `limits.requestsPerSecond), or poll more rarely, such as ${PROTOCOL_ENVIRONMENT}='{"poll": "${longer}"}'`
  );
}

function seconds(ms: number): string {
  return `${Math.ceil(ms / 1000)} s`;
}
