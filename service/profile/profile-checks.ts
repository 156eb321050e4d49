import { ACTIVE_STATES, TERMINAL_STATES } from "../contract/contract.ts";
import { parsePrice } from "../contract/money.ts";
import type { Json } from "../contract/service.ts";
import type { DocumentProblem, Path } from "../document/document-problem.ts";
import { milliseconds } from "../text/duration.ts";
import { nearest } from "../text/nearest.ts";
import { nearMissIn, numberIn, placeholdersIn, placeholdersOf } from "../text/template.ts";
import { formProblem } from "../text/text-form.ts";
import { calls } from "./call-checks.ts";
import { callOf, placeholdersInCall } from "./calls.ts";
import { formOf } from "./connection.ts";
import { isConstant } from "./place.ts";
import type { WireProfile } from "./profile.ts";

/** What a profile's schema cannot check: contradictions between parts, templates, states. */
export function checkProfile(profile: WireProfile): readonly DocumentProblem[] {
  return [
    ...calls(profile),
    ...templates(profile),
    ...carrier(profile),
    ...token(profile),
    ...launch(profile),
    ...states(profile),
    ...prices(profile),
    ...connection(profile),
    ...answers(profile),
    ...outcomes(profile),
    ...absence(profile),
    ...levels(profile),
  ];
}

/** Words and forms, among the places of fields. */
const NO_POINTERS: readonly string[] = ["soldOut", "form", "none"];

/** So many levels up is above the answer: it would be read of no record. */
function levels({ deployments, offers }: WireProfile): readonly DocumentProblem[] {
  const within = (value: unknown, path: Path, top: number): readonly DocumentProblem[] => {
    if (value !== null && typeof value === "object" && !("value" in value))
      return Object.entries(value).flatMap(([key, inner]) =>
        NO_POINTERS.includes(key) ? [] : within(inner, [...path, key], top),
      );
    if (typeof value !== "string") return [];
    const up = [...value.matchAll(path.at(-1) === "text" ? /\{(\d+)/g : /^(\d+)/g)].map(([, each]) =>
      Number(each),
    );
    return up
      .filter((each) => each > top)
      .map((each) => ({
        path,
        message: `${JSON.stringify(value)} goes ${each} levels up, and a record here stands ${top} below the top of the answer: count the levels of list.items from its end`,
      }));
  };
  const parts = { deployments, offers };
  return Object.entries(parts).flatMap(([name, part]) => {
    if (part?.list === undefined) return [];
    const tokens = part.list.items.split("/").slice(1);
    return within(part.fields, [name, "fields"], tokens.length + (tokens.at(-1) === "*" ? 0 : 1));
  });
}

/** One that ends in NAME stands for any name there. */
const PARAMETERS = "parameters.NAME";
/** Where a service wants it elsewhere, a setting or a parameter would be the next try, and none of these keeps a secret. */
const ONE_CARRIER =
  "the credential goes where auth says, by header or query, and nowhere else. Where the service wants it in its body, a proxy of yours can put it there (docs/reference/wire-profile.md, auth)";
const LAUNCH_PLACEHOLDERS = ["offer", "provider", "location", "marker", PARAMETERS] as const;

function templates({
  profile,
  auth,
  launch,
  stop,
  offers,
  calls = {},
}: WireProfile): readonly DocumentProblem[] {
  const settings = profile === 1 ? [] : ["settings.NAME"];
  const extra = Object.keys(offers?.fields.extra ?? {}).map((name) => `offer.${name}`);
  const ofLaunch = [...LAUNCH_PLACEHOLDERS, ...extra, ...settings];
  return [
    ...Object.entries(calls).flatMap(([name, call]) =>
      (["path", "query", "headers", "body"] as const).flatMap((part) => {
        const known = name === "get" || name === "stop" ? ["id", ...settings] : settings;
        return template(call?.[part], ["calls", name, part], name === "launch" ? ofLaunch : known);
      }),
    ),
    ...template(auth?.value, ["auth", "value"], [auth?.token ? "token" : "secret", ...settings]),
    ...template(auth?.token?.path, ["auth", "token", "path"], settings),
    ...template(auth?.token?.body, ["auth", "token", "body"], ["secret", ...settings]),
    ...template(launch?.body, ["launch", "body"], ofLaunch),
    ...template(stop?.path, ["stop", "path"], ["id"]),
    ...template(stop?.body, ["stop", "body"], ["id"]),
  ];
}

function carrier({ auth }: WireProfile): readonly DocumentProblem[] {
  if (!auth || (auth.header === undefined) !== (auth.query === undefined)) return [];
  const message =
    auth.header === undefined
      ? 'says no place: expected header, such as "Authorization", or query, where the credential goes into the query'
      : "has both header and query: the credential goes into one of them";
  return [{ path: ["auth"], message }];
}

/** The secret goes into the call for a token, and a token into the header or query. No message repeats a value of this part. */
function token({ auth, calls, stop }: WireProfile): readonly DocumentProblem[] {
  if (auth?.token === undefined) return [];
  const { path, method = "POST", body } = auth.token;
  const isAct = [calls?.launch, calls?.stop, stop].some((act) => act?.path === path && act.method === method);
  return [
    ...(placeholdersOf(body).includes("secret")
      ? []
      : [
          {
            path: ["auth", "token", "body"],
            message: 'sends no "{secret}": put it where the service expects the client\'s secret',
          },
        ]),
    ...(isAct
      ? [
          {
            path: ["auth", "token", "path"],
            message: "is that of a call that launches or stops, and a token is asked for again and again",
          },
        ]
      : []),
  ];
}

function isKnown(name: string, known: readonly string[]): boolean {
  return known.some((each) =>
    each.endsWith(".NAME")
      ? name.startsWith(each.slice(0, -4)) && name.length > each.length - 4
      : name === each,
  );
}

function template(value: unknown, path: Path, known: readonly string[]): readonly DocumentProblem[] {
  if (typeof value === "string") return texts(value, path, known);
  if (value === null || typeof value !== "object") return [];
  if (numberIn(value as Json) === "marker")
    return [{ path, message: "a marker is a text and no number: find a field that takes a text" }];
  return Object.entries(value).flatMap(([key, inner]): readonly DocumentProblem[] => {
    const place = [...path, Array.isArray(value) ? Number(key) : key];
    const isPlaceholder = isKnown(key, known);
    // Unquoted braces are a mapping in YAML, so {offer} arrives as { offer: null }.
    if (inner === null && isPlaceholder && Object.keys(value).length === 1 && path.length > 2) {
      return [{ path, message: `{${key}} without quotes is an empty mapping in YAML: write "{${key}}"` }];
    }
    if (placeholdersIn(key).length > 0) {
      return [
        { path: place, at: "key", message: "a key is sent as it is, placeholders work in values only" },
      ];
    }
    return template(inner, place, known);
  });
}

/** Explains a key that is no key of a profile. */
export function aboutUnknownKey([part, key]: Path): string | undefined {
  const isCarrier = part === "auth" && /^(param|parameter|cookie|body|in)/i.test(String(key));
  return isCarrier ? `is not a known key: ${ONE_CARRIER}` : undefined;
}

function texts(text: string, path: Path, known: readonly string[]): readonly DocumentProblem[] {
  const miss = nearMissIn(text);
  if (miss !== undefined) return [{ path, message: `write ${miss.write} instead of ${miss.found}` }];
  return placeholdersIn(text)
    .filter((name) => !isKnown(name, known))
    .map((name) => {
      const near = nearest(name, known);
      const list = known.map((each) => `{${each}}`).join(", ");
      const isCredential = (name === "secret" || name === "token") && path[0] !== "auth";
      const hint = isCredential
        ? ONE_CARRIER
        : name.startsWith("offer.")
          ? `say where an offer has it, as ${name.slice(6)} under offers.fields.extra`
          : near !== undefined
            ? `did you mean {${near}}?`
            : known.includes(PARAMETERS)
              ? `for a parameter of your own write {parameters.${name}}; the others are ${list}`
              : `known here are ${list}`;
      return { path, message: `the placeholder {${name}} does not exist: ${hint}` };
    });
}

function launch(profile: WireProfile): readonly DocumentProblem[] {
  const { launch, deployments } = profile;
  if (launch === undefined) {
    return deployments?.fields.marker === undefined
      ? []
      : [
          {
            path: ["deployments", "fields", "marker"],
            message:
              "is mapped, but there is no launch body that sends a {marker}: add one, or take this line out",
          },
        ];
  }
  const used = placeholdersInCall(callOf(profile, "launch"));
  const problems: DocumentProblem[] = [];
  const isNamed = used.some((name) => name === "offer" || name.startsWith("offer."));
  if (!isNamed && !textsOf(launch.body).some((text) => nearMissIn(text))) {
    problems.push({
      path: ["launch", "body"],
      at: "key",
      message:
        'names no "{offer}", so that every launch would ask for the same thing: put "{offer}" where the service expects the offer',
    });
  }
  if (used.includes("marker") && deployments?.fields.marker === undefined) {
    problems.push({
      path: ["launch", "body"],
      at: "key",
      message:
        "sends a {marker}, but no field says where a deployment shows it back: add deployments.fields.marker, or take the {marker} out",
    });
  }
  if (!used.includes("marker") && deployments?.fields.marker !== undefined) {
    problems.push({
      path: ["deployments", "fields", "marker"],
      message: 'is mapped, but launch.body sends no "{marker}": add it to the body, or take this line out',
    });
  }
  return problems;
}

function connection({ deployments }: WireProfile): readonly DocumentProblem[] {
  return Object.entries(deployments?.fields.connection ?? {}).flatMap(([name, field]) => {
    const form = formOf(field);
    const message = form === undefined ? undefined : formProblem(form, name);
    return message === undefined
      ? []
      : [{ path: ["deployments", "fields", "connection", name, "form"], message }];
  });
}

function states({ deployments }: WireProfile): readonly DocumentProblem[] {
  const { aliases = {}, terminal = [], replace = [] } = deployments?.states ?? {};
  const named: readonly string[] = [...ACTIVE_STATES, ...TERMINAL_STATES];
  const added = [...terminal, ...replace];
  const at: Path = ["deployments", "states"];
  const problems: DocumentProblem[] = [];
  for (const [word, state] of Object.entries(aliases)) {
    if (named.includes(word)) {
      problems.push({
        path: [...at, "aliases", word],
        at: "key",
        message: "is a state of the specification and cannot mean another one",
      });
    }
    if (!named.includes(state) && !added.includes(state)) {
      const near = nearest(state, [...named, ...added]);
      problems.push({
        path: [...at, "aliases", word],
        message: `${JSON.stringify(state)} is no state: ${near === undefined ? `use one of ${named.join(", ")}, or name it under deployments.states.terminal` : `did you mean ${JSON.stringify(near)}?`}`,
      });
    }
  }
  for (const [index, state] of terminal.entries()) {
    if ((ACTIVE_STATES as readonly string[]).includes(state)) {
      problems.push({
        path: [...at, "terminal", index],
        message: `${JSON.stringify(state)} is an active state of the specification, so a machine in it still costs money: it cannot be an end`,
      });
    } else if (Object.hasOwn(aliases, state)) {
      problems.push({
        path: [...at, "terminal", index],
        message: `${JSON.stringify(state)} is also an alias, so that it would never be seen: keep one of the two`,
      });
    }
  }
  for (const [index, state] of replace.entries()) {
    const why = whyNotReplaced(state, aliases, terminal);
    if (why !== undefined)
      problems.push({ path: [...at, "replace", index], message: `${JSON.stringify(state)} ${why}` });
  }
  return problems;
}

/** A state in which machines serve would have each of them stopped; one that ends them bills nothing. */
function whyNotReplaced(
  state: string,
  aliases: Readonly<Record<string, string>>,
  terminal: readonly string[],
): string | undefined {
  if ((ACTIVE_STATES as readonly string[]).includes(state))
    return "is an active state of the specification: good machines would be stopped";
  if ((TERMINAL_STATES as readonly string[]).includes(state))
    return "ends a machine by the specification, so nothing is left to stop";
  if (terminal.includes(state))
    return "stands under terminal, too: a machine in it is billed (replace) or costs nothing any more (terminal), so keep one of the two";
  return Object.hasOwn(aliases, state)
    ? `is also an alias for ${JSON.stringify(aliases[state])}, so that it would never be seen: keep one of the two`
    : undefined;
}

/** A price has one source; a price of one GPU needs the count of the machine's GPUs. */
function prices(profile: WireProfile): readonly DocumentProblem[] {
  const problems: DocumentProblem[] = [];
  for (const part of ["deployments", "offers"] as const) {
    const fields = profile[part]?.fields ?? {};
    if (fields.pricePerGpuHour === undefined) continue;
    const path: Path = [part, "fields", "pricePerGpuHour"];
    if (fields.pricePerHour !== undefined) {
      problems.push({
        path,
        at: "key",
        message: `stands beside ${part}.fields.pricePerHour: keep one of the two, what the whole machine costs if the service shows it`,
      });
    }
    if (fields.gpus === undefined) {
      problems.push({
        path,
        at: "key",
        message: `says what one GPU costs, and nothing how many a machine has: add ${part}.fields.gpus`,
      });
    }
  }
  const constant = profile.offers?.fields;
  for (const name of ["pricePerHour", "pricePerGpuHour"] as const) {
    const place = constant?.[name];
    if (isConstant(place) && !parsePrice(String(place.value))) {
      problems.push({
        path: ["offers", "fields", name, "value"],
        message: `${JSON.stringify(place.value)} is no price: expected a plain decimal, such as "2.49"`,
      });
    }
  }
  return problems;
}

/** Statuses that speak of the key or of the pace, and of no deployment. */
const NEVER_MISSING: readonly number[] = [401, 403, 407, 408, 425, 429];
const [VANISH_MIN_MS, VANISH_MAX_MS] = [10 * 60_000, 24 * 3_600_000];

/** What is believed to be no machine. */
function absence({ deployments, launch, errors }: WireProfile): readonly DocumentProblem[] {
  const at: Path = ["deployments", "get", "missing"];
  const { missing } = deployments?.get ?? {};
  const problems: DocumentProblem[] = [];
  if (missing && !missing.statuses && !missing.codes && !missing.empty)
    problems.push({ path: at, message: "names no answer: write statuses, codes or empty: true" });
  if (missing?.codes && errors?.code === undefined)
    problems.push({ path: [...at, "codes"], at: "key", message: NEVER_READ });
  for (const [index, status] of (missing?.statuses ?? []).entries()) {
    if (status >= 400 && status < 500 && !NEVER_MISSING.includes(status)) continue;
    const message = `${status} says nothing of a deployment: expected one of 400 to 499 that speaks neither of the key nor of too many requests`;
    problems.push({ path: [...at, "statuses", index], message });
  }
  const ms = milliseconds(launch?.mayVanish ?? "1h");
  if (ms < VANISH_MIN_MS || ms > VANISH_MAX_MS) {
    const message = `${launch?.mayVanish} is not within 10m and 24h: lists may be slow, and later nobody looks for it`;
    problems.push({ path: ["launch", "mayVanish"], message });
  }
  return problems;
}

const NEVER_READ =
  "is never read, because errors.code does not say where an answer carries its code: add errors.code";

function answers({ errors, stop, failures }: WireProfile): readonly DocumentProblem[] {
  const problems: DocumentProblem[] = [];
  if (errors?.code === undefined) {
    if (errors?.definite.codes?.length)
      problems.push({ path: ["errors", "definite", "codes"], at: "key", message: NEVER_READ });
    if (stop?.gone.codes?.length)
      problems.push({ path: ["stop", "gone", "codes"], at: "key", message: NEVER_READ });
  }
  for (const [index, status] of (errors?.definite.statuses ?? []).entries()) {
    if (status < 400)
      problems.push({
        path: ["errors", "definite", "statuses", index],
        message: `${status} is no error status: only 400 to 599 can be a refusal`,
      });
  }
  for (const [index, status] of (stop?.gone.statuses ?? []).entries()) {
    if (status < 400)
      problems.push({
        path: ["stop", "gone", "statuses", index],
        message: `${status} is no error status: 2xx means an accepted stop already`,
      });
  }
  for (const [index, code] of (failures?.retryable ?? []).entries()) {
    if (failures?.permanent?.includes(code))
      problems.push({
        path: ["failures", "retryable", index],
        message: `${code} stands under permanent, too: keep one of the two`,
      });
  }
  return problems;
}

/** Statuses that blame the request, the key or the pace: alone they do not mean sold out. */
const MEANS_MORE: readonly number[] = [400, 401, 402, 403, 404, 405, 413, 415, 422, 429];

/** What a profile 2 says of the answers to a launch. */
function outcomes({ launch, errors }: WireProfile): readonly DocumentProblem[] {
  const problems: DocumentProblem[] = [];
  if (launch?.accepted && typeof launch.id === "object")
    problems.push({
      path: ["launch", "accepted"],
      at: "key",
      message:
        "finds nothing in an answer that is the text of an id (launch.id), so that no launch would be accepted: keep one of the two",
    });
  const { soldOut } = errors ?? {};
  if (!soldOut) return problems;
  const { statuses = [], codes } = soldOut;
  const path: Path = ["errors", "soldOut"];
  if (statuses.length === 0 && !codes)
    problems.push({ path, at: "key", message: "names no answer: add codes, or statuses, or both" });
  if (codes && errors?.code === undefined)
    problems.push({ path: [...path, "codes"], at: "key", message: NEVER_READ });
  for (const [index, status] of statuses.entries())
    if (!codes && MEANS_MORE.includes(status))
      problems.push({
        path: [...path, "statuses", index],
        message: `${status} may mean something else, too: name the codes that mean sold out beside it (errors.soldOut.codes)`,
      });
  return problems;
}

function textsOf(value: unknown): readonly string[] {
  if (typeof value === "string") return [value];
  return value !== null && typeof value === "object" ? Object.values(value).flatMap(textsOf) : [];
}
