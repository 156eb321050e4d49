import { z } from "zod";
import type { Prng } from "./prng.ts";
import { SPOILT } from "./spoil.ts";

const seconds = z.number().nonnegative();
const errorStatus = z.int().min(400).max(599);

/** What can go wrong with a request. "Before" and "after" mean: before or after it takes effect. */
export const faultSchema = z.discriminatedUnion("kind", [
  /** The connection is refused: no byte was sent. Not for a single request over HTTP: see server.ts. */
  z.strictObject({ kind: z.literal("refuse") }),
  z.strictObject({ kind: z.literal("dropBefore") }),
  z.strictObject({ kind: z.literal("dropAfter") }),
  /** Launch only: no answer comes, and the machine appears so many seconds later. */
  z.strictObject({ kind: z.literal("commitLate"), seconds }),
  /** Launch only: takes effect twice, so many seconds apart, as when a gateway sends the request again. */
  z.strictObject({ kind: z.literal("commitTwice"), seconds }),
  /** Launch only: accepted with an id that nothing shows. Its machine is there so many seconds later, or never. */
  z.strictObject({ kind: z.literal("vanish"), seconds: seconds.optional() }),
  z.strictObject({ kind: z.literal("errorBefore"), status: errorStatus }),
  /** With a status that is a definite refusal, a service that breaks its word: see launch/claim/refused.ts. */
  z.strictObject({
    kind: z.literal("errorAfter"),
    status: errorStatus,
    /** Launch only: the error carries the machine's id, where the profile says so (launch.createdAt). */
    withId: z.literal(true).optional(),
  }),
  /** Stop only: answered as done, and nothing happens. */
  z.strictObject({ kind: z.literal("ignore") }),
  /** 429 before anything happened. */
  z.strictObject({ kind: z.literal("tooMany"), seconds }),
  /** Takes effect at once. The answer comes so many seconds later. */
  z.strictObject({ kind: z.literal("slow"), seconds }),
  /** Takes effect. The status is good, but the body is cut or cannot be understood. */
  z.strictObject({
    kind: z.literal("unreadable"),
    how: z.enum(SPOILT).default("cut"),
  }),
  /** Deployments only: shows the state of so many seconds ago. */
  z.strictObject({ kind: z.literal("lag"), seconds }),
  /** List of deployments only: shows the state of the previous list. */
  z.strictObject({ kind: z.literal("stale") }),
  /** Lists only: only this share of the items is there, though the answer looks whole. */
  z.strictObject({ kind: z.literal("cut"), keep: z.number().min(0).max(1).default(0.5) }),
  /** Lists only: the items come in another order. */
  z.strictObject({ kind: z.literal("reorder") }),
]);

export type Fault = Readonly<z.output<typeof faultSchema>>;
export type FaultInput = Readonly<z.input<typeof faultSchema>>;

export const TARGETS = [
  "account",
  "balance",
  "launch",
  "deployments",
  "deployment",
  "offers",
  "stop",
] as const;
export type Target = (typeof TARGETS)[number];

const ONLY_FOR: Partial<Record<Fault["kind"], readonly Target[]>> = {
  commitLate: ["launch"],
  commitTwice: ["launch"],
  vanish: ["launch"],
  ignore: ["stop"],
  lag: ["deployments", "deployment"],
  stale: ["deployments"],
  cut: ["deployments", "offers"],
  reorder: ["deployments", "offers"],
};

export interface Chance {
  readonly fault: FaultInput;
  readonly probability: number;
}

/** Which requests go wrong, and how. First the faults at a place, then those in the queue, then chance. */
export class Faults {
  readonly #random: Prng;
  readonly #planned = new Map<Target, { readonly fault: Fault; skip: number; times: number }[]>();
  readonly #placed = new Map<Target, { readonly fault: Fault; left: number }[]>();
  readonly #chances = new Map<Target, readonly { readonly fault: Fault; readonly probability: number }[]>();

  constructor(random: Prng) {
    this.#random = random;
  }

  /** The next `times` requests of this kind go wrong, after `skip` that go well. Several calls queue up. */
  next(
    target: Target,
    fault: FaultInput,
    options: { readonly times?: number; readonly skip?: number } = {},
  ): void {
    const planned = this.#planned.get(target) ?? [];
    planned.push({ fault: parse(target, fault), skip: options.skip ?? 0, times: options.times ?? 1 });
    this.#planned.set(target, planned);
  }

  /** The `nth` request of this kind from now goes wrong; 1 is the next. Throws if that place is taken. */
  place(target: Target, fault: FaultInput, nth: number): void {
    const placed = this.#placed.get(target) ?? [];
    if (!Number.isInteger(nth) || nth < 1) throw new RangeError(`a place is 1 or more, not ${nth}`);
    if (placed.some(({ left }) => left === nth)) {
      throw new RangeError(`a fault is placed at request ${nth} for ${target} already`);
    }
    placed.push({ fault: parse(target, fault), left: nth });
    this.#placed.set(target, placed);
  }

  /** From now on, requests of this kind go wrong with these probabilities. They replace earlier ones. */
  chance(target: Target, chances: readonly Chance[]): void {
    const parsed = chances.map(({ fault, probability }) => ({ fault: parse(target, fault), probability }));
    const total = parsed.reduce((sum, { probability }) => sum + probability, 0);
    if (!parsed.every(({ probability }) => probability >= 0) || total > 1 + 1e-9) {
      throw new RangeError(`the probabilities for ${target} must be 0 or more and add up to 1 at most`);
    }
    this.#chances.set(target, parsed);
  }

  /** Removes all faults: everything goes well from now on. */
  clear(): void {
    this.#planned.clear();
    this.#placed.clear();
    this.#chances.clear();
  }

  /** The fault that happens to this request, if any. */
  draw(target: Target): Fault | undefined {
    const placed = this.#atItsPlace(target);
    if (placed !== undefined) return placed;
    const queue = this.#planned.get(target);
    const first = queue?.[0];
    if (queue !== undefined && first !== undefined) {
      if (first.skip === 0) {
        first.times -= 1;
        if (first.times <= 0) queue.shift();
        return first.fault;
      }
      first.skip -= 1;
    }
    const chances = this.#chances.get(target);
    if (chances === undefined || chances.length === 0) return undefined;
    let drawn = this.#random.next();
    for (const { fault, probability } of chances) {
      drawn -= probability;
      if (drawn < 0) return fault;
    }
    return undefined;
  }

  /** Every request of a kind brings its places one nearer, faulty requests included. */
  #atItsPlace(target: Target): Fault | undefined {
    const placed = this.#placed.get(target) ?? [];
    for (const each of placed) each.left -= 1;
    this.#placed.set(
      target,
      placed.filter(({ left }) => left > 0),
    );
    return placed.find(({ left }) => left === 0)?.fault;
  }
}

function parse(target: Target, input: FaultInput): Fault {
  const fault = faultSchema.parse(input);
  const targets = ONLY_FOR[fault.kind];
  if (targets !== undefined && !targets.includes(target)) {
    throw new RangeError(`the fault ${fault.kind} is for ${targets.join(" and ")}, not for ${target}`);
  }
  return Object.freeze(fault);
}
