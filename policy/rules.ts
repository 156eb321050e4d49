/*
 * What may be demanded of whatever is declared, each as one entry of one list. The pack for Pulumi's engine and the agent ask
 * the same rules. So nothing is imported here: the pack is a package of its own.
 */

/** What is declared of a `Fleet` or a `Deployment`, as people write it. */
export interface Declared {
  readonly until?: unknown;
  readonly gpus?: unknown;
  readonly work?: { readonly by?: unknown } | undefined;
  readonly labels?: Readonly<Record<string, unknown>> | undefined;
  readonly budget?:
    | {
        readonly total?: unknown;
        readonly perHour?: unknown;
        readonly perGpuHour?: unknown;
        readonly floor?: unknown;
      }
    | undefined;
  readonly select?:
    | {
        readonly maxPricePerGpuHour?: unknown;
        readonly patience?: { readonly maxPricePerGpuHour?: unknown } | undefined;
      }
    | undefined;
}

/** A rule that is asked for, with what it asks. */
export type Policy =
  | { readonly rule: "end" }
  /** `most`: so much for one GPU and hour. */
  | { readonly rule: "price"; readonly most?: string | undefined }
  /** `values`: one of these. */
  | { readonly rule: "label"; readonly name: string; readonly values?: readonly string[] | undefined }
  | { readonly rule: "floor" };

/** What does not fit: the key, what it says, and what to do. */
export interface Broken {
  readonly key: readonly string[];
  readonly text: string;
}

export type Kind = "Fleet" | "Deployment";

interface Rule<P extends Policy> {
  /** What it demands, for people. */
  readonly says: string;
  broken(declared: Declared, policy: P, kind: Kind): Broken | undefined;
}

type Rules = { readonly [P in Policy as P["rule"]]: Rule<P> };

const RULES: Rules = {
  end: {
    says: "has an end, by until, work or budget.total",
    broken({ until, work, budget }, _, kind) {
      if (until ?? work?.by ?? budget?.total) return undefined;
      const ways = kind === "Fleet" ? "until, or budget.total" : "until";
      return { key: ["until"], text: `expected an end, and nothing ends it: set ${ways}` };
    },
  },
  price: {
    says: "has a price ceiling",
    broken({ select, budget, gpus }, { most }, kind) {
      const { perHour, perGpuHour } = budget ?? {};
      // Both hold, so the lower one counts.
      const patient = select?.patience?.maxPricePerGpuHour;
      const dearest = patient ?? select?.maxPricePerGpuHour;
      const [first] = [perGpuHour, dearest].filter(isSaid).sort((one, other) => compared(one, other));
      const each = kind === "Deployment" && isSaid(perHour) ? perHour : first;
      const allowed = most === undefined || kind === "Fleet" ? most : times(most, gpus);
      const way = kind === "Fleet" ? "select.maxPricePerGpuHour or budget.perGpuHour" : "budget.perHour";
      if (each === undefined) {
        if (isSaid(perHour) && most === undefined) return undefined;
        const to = most === undefined ? "" : `, to ${most} at most`;
        return { key: ["budget"], text: `expected a price ceiling, and there is none: set ${way}${to}` };
      }
      if (allowed === undefined || compared(each, allowed) <= 0) return undefined;
      const key =
        each === dearest
          ? ["select", ...(isSaid(patient) ? ["patience"] : []), "maxPricePerGpuHour"]
          : ["budget", kind === "Fleet" ? "perGpuHour" : "perHour"];
      return { key, text: `expected ${allowed} at most, got ${each}: lower it` };
    },
  },
  label: {
    says: "has a label",
    broken({ labels }, { name, values }) {
      const value = labels?.[name];
      const known = values === undefined ? "" : ` of ${values.join(", ")}`;
      const key = ["labels", name];
      if (!isSaid(value))
        return { key, text: `expected a value${known}, and there is none: add it to labels` };
      if (values === undefined || values.includes(String(value))) return undefined;
      return { key, text: `expected one${known}, got ${value}: change it` };
    },
  },
  floor: {
    says: "has no floor of 0",
    broken({ budget }) {
      if (!isSaid(budget?.floor) || compared(budget.floor, "0") > 0) return undefined;
      const text = `expected more than 0, got ${budget.floor}: a floor of 0 keeps nothing in the balance. Raise it, or take it out`;
      return { key: ["budget", "floor"], text };
    },
  },
};

/** What a rule demands, for people. */
export function saidBy(rule: Policy["rule"]): string {
  return RULES[rule].says;
}

/** Why what is declared breaks a policy; undefined: it does not. */
export function brokenBy<P extends Policy>(policy: P, declared: Declared, kind: Kind): Broken | undefined {
  const rule = RULES[policy.rule] as unknown as Rule<P>;
  const found = rule.broken(declared, policy, kind);
  return found && { ...found, text: `${found.text} (policy ${policy.rule})` };
}

function isSaid(value: unknown): value is NonNullable<unknown> {
  return value !== undefined && value !== null;
}

/** Amounts are exact decimals with 6 places at most: as whole millionths they compare exactly. Undefined: it is none. */
function millionths(amount: unknown): bigint | undefined {
  const [, whole = "", part = ""] = /^(\d+)(?:\.(\d{1,6}))?$/.exec(String(amount)) ?? [];
  return whole === "" ? undefined : BigInt(whole + part.padEnd(6, "0"));
}

/** NaN where one of them is no amount: it is neither low enough nor high enough. */
function compared(one: unknown, other: unknown): number {
  const [left, right] = [millionths(one), millionths(other)];
  if (left === undefined || right === undefined) return Number.NaN;
  return left === right ? 0 : left > right ? 1 : -1;
}

/** What so many GPUs may cost; of an unknown number one. */
function times(most: string, gpus: unknown): string {
  const one = millionths(most);
  if (typeof gpus !== "number" || gpus < 2 || one === undefined) return most;
  const all = one * BigInt(gpus);
  const text = String(all).padStart(7, "0");
  return `${text.slice(0, -6)}.${text.slice(-6)}`.replace(/\.?0+$/, "");
}
