import { createService, type ServiceOptions } from "../../service/client.ts";
import type { Account, Balance } from "../../service/contract/contract.ts";
import { FleetkeeperError } from "../../service/contract/errors.ts";
import type { Deployment, Json, Offer, Service } from "../../service/contract/service.ts";
import type { HttpRequest } from "../../service/contract/transport.ts";
import { readable, type Unread, unreadOf } from "../../service/contract/unread.ts";
import { checkBaseUrl } from "../../service/http/base-url.ts";
import { impossibleId } from "../../service/no-such-deployment.ts";
import { type CallName, callOf, readsByPath, requestOf, withQuery } from "../../service/profile/calls.ts";
import { withSettings } from "../../service/profile/settings.ts";
import { createRawRead } from "../../service/raw-read.ts";
import { readName } from "../../service/text/json.ts";
import type { Part } from "../propose/shape/best-list.ts";
import { listsIn } from "../propose/shape/lists.ts";
import type { ConfirmedPaging } from "../propose/shape/paging-guess.ts";
import { findNextPage } from "./next-page.ts";
import { createRecordingTransport, goodJson, type Sighting } from "./recording-transport.ts";

/** The outcome of one read. */
type ReadOutcome<T> =
  | { readonly value: T; readonly error?: never }
  | { readonly error: FleetkeeperError; readonly value?: never };

/** Everything that was seen of the service in one round of GETs. */
export interface Seen {
  readonly service: Service;
  readonly requests: number;
  readonly account: ReadOutcome<Account>;
  readonly accountAnswer: Sighting | undefined;
  /** The connection failed by a certificate, or for want of TLS. The error says what to do about it. */
  readonly failedByTls: boolean;
  /** Undefined if the account could not be read: then nothing else was asked. */
  readonly rest: SeenRest | undefined;
}

export interface SeenRest {
  readonly balance: ReadOutcome<Balance>;
  readonly deployments: SeenList<Deployment>;
  readonly one: SeenOne | undefined;
  readonly offers: SeenList<Offer>;
  /** The answer to a GET of a deployment that does not exist: it shows how an error looks. */
  readonly missing: Sighting | undefined;
  /** That of an id like the listed one's, read with the profile; undefined if it does not say what "no such deployment" is. */
  readonly none: (ReadOutcome<Deployment | undefined> & { readonly living: string | undefined }) | undefined;
}

interface SeenList<T> {
  /** Read with the profile; undefined if the profile has no such part. */
  readonly read: ReadOutcome<readonly T[]> | undefined;
  /** The records of that list that cannot be read. */
  readonly unread: readonly Unread[];
  /** The first page as it came. */
  readonly answer: Sighting | undefined;
  /** How the list goes on, if the profile does not say it and a GET of the next page showed it. */
  readonly next: ConfirmedPaging | undefined;
}

/** One deployment, read by its id. */
interface SeenOne {
  readonly id: string;
  readonly answer: Sighting | undefined;
  /** Read with the profile; undefined if the profile has no such part. */
  readonly read: ReadOutcome<Deployment | undefined> | undefined;
}

/** What is asked without changing anything. */
type Reading = Exclude<CallName, "launch" | "stop">;

/** An id that no service gives to a deployment. */
const NO_SUCH_ID = "fleetkeeper-doctor-no-such-deployment";

/**
 * Reads the service once, with GETs only. It reads with the profile, as the agent would; where the profile
 * cannot, it keeps the answer as it came. Throws only if aborted, or what {@link createService} throws.
 */
export async function survey(options: ServiceOptions, signal: AbortSignal): Promise<Seen> {
  const { profile: loaded, clock } = options;
  const { profile } = loaded;
  const baseUrl = checkBaseUrl(options.baseUrl);
  const { transport } = options;
  const reads = ({ method, url }: HttpRequest): boolean =>
    readsByPath(profile, method, url.slice(baseUrl.length));
  const recording = createRecordingTransport(transport, clock, profile.limits?.requestsPerSecond, reads);
  const recorded = { ...options, transport: recording.transport };
  const service = createService(recorded);
  const rawRead = createRawRead(recorded);

  const question = (name: Reading, id?: string) =>
    requestOf(
      callOf(profile, name),
      baseUrl,
      withSettings(options.settings ?? {}, (placeholder) => (placeholder === "id" ? id : undefined)),
    );

  /** The answer to a call. It is asked for only if there is no good one yet. */
  const raw = async (name: Reading, id?: string): Promise<Sighting | undefined> => {
    const asked = question(name, id);
    const known = recording.seen(asked.url);
    if (known !== undefined && known.status < 300) return known;
    await attempt(rawRead(asked, signal));
    return recording.seen(asked.url);
  };

  const account = await attempt(service.account(signal));
  const rest =
    account.error === undefined || account.error.code === "UNREADABLE_ANSWER" ? await lookOn() : undefined;
  return {
    service,
    account,
    accountAnswer: recording.seen(question("account").url),
    rest,
    failedByTls: recording.failedByTls(),
    requests: recording.requests(),
  };

  async function lookOn(): Promise<SeenRest> {
    const balance = await attempt(service.balance(signal));
    const deployments = await lookAtList("deployments", () => service.deployments(signal));
    const id = deployments.read?.value?.[0]?.id ?? firstId(deployments.answer);
    const one = id === undefined ? undefined : await lookAt(id);
    const offers = await lookAtList("offers", () => service.offers(signal));
    const living = deployments.read?.value?.find(({ status }) => !service.isTerminal(status))?.id;
    const denied = id === undefined ? NO_SUCH_ID : impossibleId(id);
    const none = service.abilities.missing
      ? { ...(await attempt(service.deployment(denied, signal, async () => living))), living }
      : undefined;
    return { balance, deployments, one, offers, missing: await raw("get", NO_SUCH_ID), none };
  }

  async function lookAtList<T extends object>(
    part: Part,
    list: () => Promise<readonly (T | Unread)[] | null>,
  ): Promise<SeenList<T>> {
    const mapped = profile[part]?.list;
    const read = mapped === undefined ? undefined : await attempt(list());
    const name = part === "offers" ? "offers" : "list";
    const answer = await raw(name);
    const ask = async (query: string): Promise<Json | undefined> => {
      const asked = question(name);
      const url = withQuery(asked.url, Object.fromEntries(new URLSearchParams(query)));
      return (await attempt(rawRead({ ...asked, url }, signal))).value?.json;
    };
    return {
      read: read?.value === undefined ? read : { value: readable(read.value) },
      unread: unreadOf(read?.value ?? []),
      answer,
      next: await findNextPage(answer, mapped, ask),
    };
  }

  async function lookAt(id: string): Promise<SeenOne | undefined> {
    if (id === "." || id === ".." || id.length > 500) return undefined;
    const read =
      profile.deployments?.get === undefined ? undefined : await attempt(service.deployment(id, signal));
    return { id, read, answer: await raw("get", id) };
  }
}

function firstId(answer: Sighting | undefined): string | undefined {
  const list = listsIn(goodJson(answer)).find(({ deployments }) => deployments.length > 0);
  return readName(list?.deployments[0]?.id);
}

/** A FleetkeeperError becomes a finding. An abort or a bug is thrown on. */
async function attempt<T>(promise: Promise<T>): Promise<ReadOutcome<T>> {
  try {
    return { value: await promise };
  } catch (error) {
    if (error instanceof FleetkeeperError) return { error };
    throw error;
  }
}
