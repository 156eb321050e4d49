import type { z } from "zod";
import { accountSchema, balanceSchema, combinationKey, TERMINAL_STATES } from "./contract/contract.ts";
import { FleetkeeperError, isDown } from "./contract/errors.ts";
import type { Deployment, Json, LaunchRequest, Offer, Service } from "./contract/service.ts";
import type { HttpResponse } from "./contract/transport.ts";
import { isUnread, readable, type Unread, unreadOf } from "./contract/unread.ts";
import { checkBaseUrl, checkPrefix } from "./http/base-url.ts";
import { type Answer, createReader, type Question } from "./http/reader.ts";
import { createSender, type SenderOptions } from "./http/sender.ts";
import { classifyLaunch, classifyLaunchError } from "./launch-answer.ts";
import { agreed, agreedOffer } from "./list/contradiction.ts";
import { readList } from "./list/list.ts";
import { createListMemory } from "./list/list-memory.ts";
import { deniesIt, isEmpty, whyUnproven } from "./no-such-deployment.ts";
import { abilitiesOf, NO_BALANCE } from "./profile/abilities.ts";
import { type CallName, callOf, requestOf } from "./profile/calls.ts";
import { depthOf, inNested, inNothing } from "./profile/nested.ts";
import { placeReader } from "./profile/place.ts";
import type { WireProfile } from "./profile/profile.ts";
import { REQUIREMENTS, requirePart } from "./profile/requirement.ts";
import { demandSettings, hashWith, reachOf, withSettings } from "./profile/settings.ts";
import { accountInReach, accountOfKey, readAccount, readBalance } from "./record/account-reader.ts";
import { deploymentReader, isVital } from "./record/deployment-reader.ts";
import { offerReader } from "./record/offer-reader.ts";
import { type FieldProblem, Flawed, whyNoName } from "./record/record-field.ts";
import { classifyStop } from "./stop-answer.ts";
import { formatPointer, valueAt } from "./text/pointer.ts";
import { createRedaction, type Redaction } from "./text/redaction.ts";
import { type Lookup, parameterIn } from "./text/template.ts";

const MOST_PROBLEMS = 5;

export interface ServiceOptions extends SenderOptions {
  /** https, or http for a loopback host. */
  readonly baseUrl: string;
  /** What else shows texts of the service: it is told of tokens. */
  readonly redact?: Redaction;
}

/**
 * The service, for one account's credential and one wire profile.
 *
 * @example
 * const { transport, close } = createUndiciTransport({ environment: process.env });
 * const profile = readProfile(await readFile("acme.profile.yaml", "utf8"), "acme.profile.yaml");
 * const service = createService({ baseUrl: "https://gpu.example.com", secret, profile, transport, clock });
 * const { balance } = await service.balance(signal);
 *
 * @throws FleetkeeperError CONFIG (base URL, settings), CREDENTIAL (missing or unusable), PROFILE_PART_MISSING (auth).
 */
export function createService(options: ServiceOptions): Service {
  const { profile: loaded, settings = {}, clock, random = Math.random } = options;
  const { profile } = loaded;
  const baseUrl = checkBaseUrl(options.baseUrl);
  checkPrefix(baseUrl, loaded);
  demandSettings(loaded, settings);
  const { redact = createRedaction(options.secret) } = options;
  const sender = createSender(options, baseUrl, redact);
  const read = createReader({ baseUrl, redact, send: sender.reading }, profile.errors, clock, random);
  const readDeployment = deploymentReader(profile.deployments, redact, profile.currency);
  const deep = depthOf(profile.deployments?.list, profile.deployments?.fields);
  /** A record that no list holds stands in nothing. */
  const alone = (record: Json): Json => (deep ? inNothing(record) : record);
  const isMachine = machineTest(profile.deployments?.records, deep !== undefined);
  const memory = { deployments: createListMemory<Deployment>(), offers: createListMemory<Offer>() };
  /** The balance, where it names its currency, has named the one in which prices and budgets are counted. */
  let isCurrencyShown = !(profile.balance && "currency" in profile.balance);

  const service: Service = {
    baseUrl,
    abilities: abilitiesOf(profile),
    profileHash: hashWith(loaded, settings),

    isTerminal: (status) =>
      (TERMINAL_STATES as readonly string[]).includes(status) ||
      profile.deployments?.states.terminal?.includes(status) === true,

    isUnserving: (status) => profile.deployments?.states.replace?.includes(status) === true,

    isRetryable: (code) => {
      if (profile.failures?.retryable?.includes(code)) return true;
      return profile.failures?.permanent?.includes(code) ? false : undefined;
    },

    async account(signal) {
      const part = profile.account;
      const reach = reachOf(profile, settings);
      if (part && "none" in part) return accountInReach(accountOfKey(baseUrl, options.secret), reach);
      const answer = await read(ask("account"), signal);
      const found = part ? mapped(answer, readAccount(answer.json, part)) : shown(answer, accountSchema);
      return accountInReach(found, reach);
    },

    async balance(signal) {
      const part = profile.balance;
      if (part && "none" in part) throw new FleetkeeperError("PROFILE_PART_MISSING", NO_BALANCE);
      const answer = await read(ask("balance"), signal);
      const found = part
        ? mapped(answer, readBalance(answer.json, part, profile.currency))
        : shown(answer, balanceSchema);
      isCurrencyShown = true;
      return found;
    },

    async deployments(signal) {
      const list = requirePart(loaded, REQUIREMENTS.list);
      return readList<Deployment>(
        {
          name: "deployments",
          question: ask("list"),
          profile: list,
          deep,
          isItem: isMachine,
          readItem: readRecord,
          keyOf: ({ id }) => id,
          memory: memory.deployments,
          agreed,
        },
        read,
        redact,
        clock,
        signal,
      );
    },

    async deployment(id, signal, living) {
      const { missing } = requirePart(loaded, REQUIREMENTS.get);
      const shown = await readOne(id, signal);
      if (shown || !missing) return shown;
      const why = await whyUnproven(id, (other) => readOne(other, signal), await living?.());
      if (why === undefined) return undefined;
      throw unreadable(
        `${redact.text(id)} is answered as deployments.get.missing of ${loaded.file} says, and that is not believed: ${redact.text(why, 500)}.`,
      );
    },

    async offers(signal) {
      const part = requirePart(loaded, REQUIREMENTS.offers);
      const { list } = part;
      const readOffer = offerReader(part, profile.currency);
      const question = ask("offers");
      // An offer is read whole or not at all: one of unknown price, or of half a GPU, could be launched.
      const readItem = (record: Json, _before: Offer | undefined, where: () => string): Offer | Unread => {
        const offer = readOffer(record);
        return offer instanceof Flawed ? { unread: explain(offer.problems), where: where() } : offer;
      };
      const listed = await readList<Offer>(
        {
          name: "offers",
          question,
          profile: list,
          deep: depthOf(list, part.fields, part.counts ?? []),
          readItem,
          keyOf: combinationKey,
          memory: memory.offers,
          agreed: agreedOffer,
        },
        read,
        redact,
        clock,
        signal,
      );
      const offers = listed ?? [];
      const [first] = unreadOf(offers);
      if (first === undefined || readable(offers).length > 0) return offers;
      const all = offers.length === 1 ? "" : `none of ${offers.length} can be read, such as `;
      throw unreadable(
        `${question.method} ${question.url}: ${all}${first.where}: ${first.unread}. ${check("offers.fields")}`,
      );
    },

    // The rate limit waits here: launch and stop send `now`, which waits for a token at most.
    turn: sender.turn,

    async launch(request, signal) {
      let post: Question;
      try {
        requirePart(loaded, REQUIREMENTS.launch);
        post = requestOf(callOf(profile, "launch"), baseUrl, withSettings(settings, launchLookup(request)));
        // Prices in another currency would be paid, and counted as if they were in this one.
        if (!isCurrencyShown) await service.balance(signal);
      } catch (error) {
        const isForNow =
          isDown(error) ||
          signal.aborted ||
          (error instanceof FleetkeeperError && error.code === "CREDENTIAL");
        if (isForNow) return { kind: "notSent", reason: redact.cause(error).message };
        // Returned, not thrown: the caller stored its intent, and would count an exception as an open launch.
        return { kind: "notSent", reason: redact.cause(error).message, permanent: true };
      }
      let response: HttpResponse;
      try {
        response = await sender.now({ ...post, mayLeave: request.mayLeave }, signal);
      } catch (error) {
        return classifyLaunchError(error, redact);
      }
      return classifyLaunch(
        response,
        profile,
        (record) => readDeployment(alone(record)),
        clock.now(),
        redact,
      );
    },

    async stop({ id, mayLeave }, signal) {
      const call = requirePart(loaded, REQUIREMENTS.stop);
      try {
        const request = requestOf(call, baseUrl, withSettings(settings, idLookup(checkId(id))));
        const sent = redact.text(`${request.method} ${request.url.slice(baseUrl.length)}`, 300);
        try {
          const response = await sender.now({ ...request, mayLeave }, signal);
          return { ...classifyStop(id, response, profile, clock.now(), redact), sent };
        } catch (error) {
          return { kind: "failed", reason: redact.cause(error).message, sent };
        }
      } catch (error) {
        return { kind: "failed", reason: redact.cause(error).message };
      }
    },
  };
  return service;

  function ask(name: Exclude<CallName, "launch" | "stop">, id?: string): Question {
    return requestOf(callOf(profile, name), baseUrl, withSettings(settings, idLookup(id)));
  }

  /** One deployment as it is answered alone. Undefined: the service denies it. */
  async function readOne(id: string, signal: AbortSignal): Promise<Deployment | undefined> {
    const { item, missing } = requirePart(loaded, REQUIREMENTS.get);
    const question = ask("get", checkId(id));
    const { url } = question;
    let answer: Answer;
    try {
      answer = await read(question, signal);
    } catch (error) {
      if (error instanceof FleetkeeperError && deniesIt(error, missing)) return undefined;
      throw error;
    }
    const record = valueAt(answer.json, item);
    if (record === undefined || isEmpty(record)) {
      if (missing?.empty) return undefined;
      throw unreadable(`GET ${url}: nothing stands at ${item || '""'} (deployments.get.item).`);
    }
    if (isMachine?.(alone(record)) === false)
      throw unreadable(`GET ${url} shows a record that deployments.records of ${loaded.file} leaves out.`);
    const deployment = readRecord(alone(record), undefined, () => `GET ${url}`);
    if (isUnread(deployment))
      throw unreadable(
        `GET ${url}: ${deployment.unread}. ${check("deployments.fields", "deployments.get.item")}`,
      );
    if (deployment.id === id) return deployment;
    throw unreadable(`GET ${url} answered with another deployment, ${redact.text(deployment.id)}.`);
  }

  function readRecord(
    record: Json,
    before: Deployment | undefined,
    where: () => string,
  ): Deployment | Unread {
    const read = readDeployment(record, before);
    if (!(read instanceof Flawed)) return read;
    const { value, problems } = read;
    const flaw = explain(problems);
    if (!problems.some(isVital)) return { ...(value as Deployment), flaw };
    return { unread: flaw, where: where(), ...(value.id === undefined ? {} : { id: value.id }) };
  }

  /** What was read of an answer, or why it could not be. */
  function mapped<T>({ url }: Answer, found: T | string): T {
    if (typeof found !== "string") return found;
    throw unreadable(`${url}: ${redact.text(found, 500)}. ${loaded.file} says where it stands.`);
  }

  /** Checks an answer whose shape the specification shows. Throws UNREADABLE_ANSWER. */
  function shown<S extends z.ZodType>({ url, json }: Answer, schema: S): z.output<S> {
    const parsed = schema.safeParse(json);
    if (parsed.success) return parsed.data;
    const problems = parsed.error.issues.map(({ path, message }) => {
      const pointer = formatPointer(path.map(String));
      const isMissing = valueAt(json, pointer) === undefined;
      return `${pointer || "it"} ${isMissing ? "is missing" : `is wrong (${message.replace(/^Invalid input: /, "")})`}`;
    });
    throw unreadable(
      `GET ${url} is not as the specification says: ${redact.text(problems.join("; "), 500)}.`,
    );
  }

  /** Names a few problems only: a record may have a hundred. */
  function explain(problems: readonly FieldProblem[]): string {
    const said = problems
      .slice(0, MOST_PROBLEMS)
      .map(
        ({ field, pointer, expected, got, remedy }) =>
          `${field} (${pointer}) should be ${expected}, but is ${shownAs(field, got)}${remedy === undefined ? "" : `: ${remedy}`}`,
      );
    const more = problems.length - said.length;
    return `${said.join("; ")}${more > 0 ? `; and ${more} more fields` : ""}`;
  }

  /** A connection detail may be a secret, so only its length is shown. */
  function shownAs(field: string, got: Json | undefined): string {
    if (got === undefined) return "missing";
    const text = JSON.stringify(got);
    if (field.startsWith("connection.")) return `${text.length} long`;
    return `${redact.text(text, 80)}${typeof got === "string" ? whyNoName(got) : ""}`;
  }

  function check(part: string, items = "items"): string {
    return `Check "${items}" and "${part}" in the profile ${loaded.file}.`;
  }

  function unreadable(message: string): FleetkeeperError {
    return new FleetkeeperError("UNREADABLE_ANSWER", message);
  }
}

/** Which records of a list are machines of the service. Undefined: all. */
function machineTest(
  records: NonNullable<WireProfile["deployments"]>["records"],
  isDeep: boolean,
): ((record: Json) => boolean) | undefined {
  if (records === undefined) return undefined;
  const at = placeReader(isDeep ? inNested(records.where) : records.where);
  const values = new Set<Json | undefined>(records.is);
  return (record) => values.has(at(record));
}

function idLookup(id: string | undefined): Lookup {
  return (name) => (name === "id" ? id : undefined);
}

function launchLookup(request: LaunchRequest): Lookup {
  return (name) => {
    const parameter = parameterIn(name);
    if (parameter !== undefined)
      return Object.hasOwn(request.parameters, parameter) ? request.parameters[parameter] : undefined;
    const extra = /^offer\.(.+)$/.exec(name)?.[1];
    if (extra !== undefined)
      return request.extra && Object.hasOwn(request.extra, extra) ? request.extra[extra] : undefined;
    return name === "offer" || name === "provider" || name === "location" || name === "marker"
      ? request[name]
      : undefined;
  };
}

/** `.` and `..` survive encoding and would address another resource. Half of a character has no encoding. */
function checkId(id: string): string {
  if (id !== "" && id !== "." && id !== ".." && id.isWellFormed()) return id;
  throw new FleetkeeperError("CONFIG", `${JSON.stringify(id)} cannot be the id of a deployment.`);
}
