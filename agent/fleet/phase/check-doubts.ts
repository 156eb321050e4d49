import type { Instant } from "../../../ledger/instant.ts";
import type { Abilities } from "../../../service/contract/service.ts";
import { durationOf, milliseconds } from "../../../service/text/duration.ts";
import { stopAhead } from "../wish/before-stop-wish.ts";
import type { Ready, Wish } from "../wish/wish.ts";
import { untilDeadline } from "./fleet-phase.ts";

/** A part of a wish that can never do what it says. It is no error: what runs is kept all the same. */
export interface CheckDoubt {
  /** Where it stands in the wish: `ready.address`. */
  readonly key: string;
  readonly why: string;
  readonly remedy: string;
}

/** What a fleet asks of its machines, or a `Deployment` of its one. */
type Checks = Partial<Pick<Wish, "until" | "setup" | "health" | "idle" | "beforeStop">> & {
  readonly ready?: Pick<Ready, "address" | "within"> | undefined;
};

interface Known {
  readonly now: Pick<Instant, "wall">;
  readonly wire: { readonly abilities: Pick<Abilities, "details"> };
}

/** What follows where no machine's address can be had. */
const UNASKED = {
  setup: "no machine is ever set up",
  ready: "no machine is ever ready",
  health: "no machine is asked, and a sick one is never found",
  idle: "no machine is asked, and none is ever idle",
  beforeStop: "its command is never run, and machines are stopped without it",
};
const PARTS = Object.keys(UNASKED) as (keyof typeof UNASKED)[];

/** Looked for where a fleet is declared: the moment at which a machine is asked is too late. */
export function checkDoubts(wish: Checks, { now, wire }: Known): readonly CheckDoubt[] {
  const { details } = wire.abilities;
  return [...(details ? addressDoubts(wish, details) : []), ...timeDoubts(wish, now)];
}

/** Why nothing would ever be launched, since what runs before a stop takes longer than `until` leaves. A deadline that has come is none. */
export function whyTooLate(wish: Checks, { now }: Pick<Known, "now">): Omit<CheckDoubt, "key"> | undefined {
  const left = untilDeadline(wish, { now });
  if (!left || left > stopAhead(wish)) return undefined;
  return {
    why: `beforeStop.within is ${wish.beforeStop?.within}, and until, ${wish.until}, leaves ${durationOf(left)}: the fleet is drained so much earlier than until, so nothing would ever be launched`,
    remedy: "Write a shorter within, or a later until",
  };
}

/** One line for people. */
export function doubtText({ key, why, remedy }: CheckDoubt): string {
  return `${key}: ${why}. ${remedy}`;
}

function addressDoubts(wish: Checks, details: NonNullable<Abilities["details"]>): readonly CheckDoubt[] {
  return PARTS.flatMap((part) => {
    const address = wish[part] && (wish[part].address ?? wish.ready?.address);
    const kind =
      address === undefined ? "open" : Object.hasOwn(details, address) ? details[address] : undefined;
    if (kind === "open") return [];
    const is =
      kind === "secret"
        ? "is secret by the wire profile, and stands in no ledger"
        : "is not in the wire profile";
    return [
      {
        key: wish[part]?.address === undefined ? part : `${part}.address`,
        why: `the connection detail "${address}" ${is}, so ${UNASKED[part]}`,
        remedy: `Map it as deployments.fields.connection.${address}, and not as a secret one, or name another detail`,
      },
    ];
  });
}

/** A fleet is drained at its deadline: what takes longer than it leaves is never over. `beforeStop.within` is refused. */
function timeDoubts(wish: Checks, now: Known["now"]): readonly CheckDoubt[] {
  const left = (untilDeadline(wish, { now }) ?? Number.POSITIVE_INFINITY) - stopAhead(wish);
  const takes = {
    "setup.within": wish.setup?.within,
    "ready.within": wish.ready?.within,
    "health.bad": wish.health?.bad,
    "idle.for": wish.idle?.for,
  };
  return Object.entries(takes).flatMap(([key, time]) =>
    time === undefined || left <= 0 || milliseconds(time) < left
      ? []
      : [
          {
            key,
            why: `it is ${time}, and until, ${wish.until}, leaves ${durationOf(left)} before the fleet is drained, so nothing ever follows from it`,
            remedy: "Write a shorter time, or a later until",
          },
        ],
  );
}
