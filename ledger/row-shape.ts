import { unhandled } from "../service/contract/errors.ts";

/**
 * What every row has had since the first version. It tells a damaged row from a sound one before a decision
 * reads it. A `?` may be null or absent. Fields of newer versions are not asked for.
 */
type Shape = { readonly [key: string]: Field };
type Field =
  | "text"
  | "text?"
  | "number"
  | "flag"
  | "record"
  | "text or record"
  | "list"
  | Shape
  | readonly [Shape];

const INSTANT: Shape = { wall: "number", mono: "number", boot: "text" };
const PROCESS: Shape = { boot: "text", pid: "number", started: "text" };
const PLACE: Shape = { offer: "text", provider: "text", location: "text" };

/** In brackets: may be null. */
const maybe = (shape: Shape): readonly [Shape] => [shape];

const ROW_SHAPES = {
  account: {
    key: "text",
    baseUrl: "text",
    accountId: "text",
    email: "text",
    tenure: "text",
    sequence: "number",
    profiles: "record",
    list: maybe(INSTANT),
    doubt: maybe({ begun: INSTANT, missing: "list" }),
    balance: maybe({ amount: "text", begun: INSTANT }),
    agent: maybe({ process: PROCESS, beat: INSTANT, host: "text" }),
  },
  intent: {
    ...PLACE,
    id: "text",
    owner: "text",
    gpus: "number",
    pricePerHour: "text?",
    parameters: "text or record",
    marker: "text",
    profile: "text",
    group: "text",
    baseline: "number",
    state: "text",
    sender: PROCESS,
    stamped: INSTANT,
    timeout: "number",
    answer: maybe({ at: INSTANT, id: "text?", reason: "text" }),
    settle: maybe({ since: INSTANT, last: INSTANT, covered: "number", lists: "number" }),
    resolved: maybe(INSTANT),
    deployment: "text?",
    detail: "text",
  },
  deployment: {
    id: "text",
    sequence: "number",
    firstSeen: INSTANT,
    lastSeen: maybe(INSTANT),
    status: "text",
    statusSince: INSTANT,
    claim: "text?",
    owner: "text?",
    intent: "text?",
    claimed: maybe(INSTANT),
    stop: maybe({
      asked: INSTANT,
      why: "text",
      attempts: "number",
      attempted: maybe(INSTANT),
      accepted: "flag",
    }),
    unnamedLists: "number",
    missing: maybe({ since: INSTANT, lists: "number", notFound: "flag" }),
    end: "text?",
    ended: maybe(INSTANT),
  },
  slot: { id: "text", name: "text", created: INSTANT, closing: "flag" },
  fleet: {
    name: "text",
    source: "text",
    wish: "record",
    born: "flag",
    birth: maybe({ begun: INSTANT, ids: "list" }),
    removed: "flag",
    paused: "flag",
    pace: "number",
    reasons: "list",
  },
  cooldown: { ...PLACE, since: INSTANT, seconds: "number" },
  event: { at: "number", kind: "text", owner: "text?", deployment: "text?", text: "text" },
  stretch: { at: "number", until: "number" },
  market: { at: "number", until: "number", can: "record", offers: "list" },
  sample: { at: "number", until: "number", said: "list" },
  archived: { owner: "text?", record: "text?", spent: "record" },
} as const satisfies Readonly<Record<string, Shape>>;

export type Table = keyof typeof ROW_SHAPES;

/** The first wrong field, such as `stamped.mono`; "" if the row is no object; undefined if it is sound. */
export function misshapen(row: unknown, table: Table): string | undefined {
  return CHECKS[table](row);
}

type Check = (row: unknown) => string | undefined;

/** Made once: a ledger has a row for every machine that ever was. */
function checkOf(shape: Shape): Check {
  const fields = Object.entries(shape).map(([name, field]) => ({ name, check: fieldCheck(field) }));
  return (row) => {
    if (!isRecord(row)) return "";
    for (const { name, check } of fields) {
      const inner = check(row[name]);
      if (inner !== undefined) return inner === "" ? name : `${name}.${inner}`;
    }
    return undefined;
  };
}

function fieldCheck(field: Field): Check {
  if (typeof field !== "object") return (value) => (isOfKind(value, field) ? undefined : "");
  if (!isOptional(field)) return checkOf(field);
  const check = checkOf(field[0]);
  return (value) => (value === null ? undefined : check(value));
}

function isOptional(field: Shape | readonly [Shape]): field is readonly [Shape] {
  return Array.isArray(field);
}

function isOfKind(value: unknown, kind: Extract<Field, string>): boolean {
  switch (kind) {
    case "text":
      return typeof value === "string";
    case "text?":
      return value === null || value === undefined || typeof value === "string";
    case "number":
      return typeof value === "number";
    case "flag":
      return typeof value === "boolean";
    case "record":
      return isRecord(value);
    case "text or record":
      return typeof value === "string" || isRecord(value);
    case "list":
      return Array.isArray(value);
    default:
      return unhandled(kind);
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

const CHECKS = {
  account: checkOf(ROW_SHAPES.account),
  intent: checkOf(ROW_SHAPES.intent),
  deployment: checkOf(ROW_SHAPES.deployment),
  slot: checkOf(ROW_SHAPES.slot),
  fleet: checkOf(ROW_SHAPES.fleet),
  cooldown: checkOf(ROW_SHAPES.cooldown),
  event: checkOf(ROW_SHAPES.event),
  stretch: checkOf(ROW_SHAPES.stretch),
  market: checkOf(ROW_SHAPES.market),
  sample: checkOf(ROW_SHAPES.sample),
  archived: checkOf(ROW_SHAPES.archived),
} satisfies Readonly<Record<Table, Check>>;
