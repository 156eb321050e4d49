import { readFileSync } from "node:fs";
import { env } from "node:process";
import { setTimeout as sleep } from "node:timers/promises";
import {
  createService,
  createUndiciTransport,
  type LaunchAnswer,
  loadProfile,
  readable,
} from "../../service/index.ts";

/* What the naive clients share: the service by its profile, and what they are asked for. They have no ledger. */

export const never: AbortSignal = new AbortController().signal;

export const service = createService({
  baseUrl: env.ARENA_URL ?? "",
  secret: env.ARENA_API_KEY ?? "",
  profile: loadProfile(env.ARENA_PROFILE ?? ""),
  transport: createUndiciTransport({ environment: {} }).transport,
  clock: { now: () => Date.now(), sleep: (ms, signal) => sleep(ms, undefined, { signal }) },
});

/** GPUs; each machine has one. */
export function wanted(): number {
  return Number(readFileSync("wanted", "utf8"));
}

/** Seconds of the service. */
export function pause(seconds: number): Promise<void> {
  return sleep((seconds * 1000) / Number(env.ARENA_SPEED));
}

export function launch(): Promise<LaunchAnswer> {
  const { ARENA_OFFER: offer = "", ARENA_PROVIDER: provider = "", ARENA_LOCATION: location = "" } = env;
  return service.launch({ offer, provider, location, marker: "naive", parameters: {} }, never);
}

/** The ids of what lives by the list. */
export async function living(): Promise<readonly string[]> {
  const listed = readable((await service.deployments(never)) ?? []);
  return listed
    .filter(({ status }) => !service.isTerminal(status) && status !== "stopping")
    .map(({ id }) => id);
}
