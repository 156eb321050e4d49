import type { About, Order } from "../../../orders/order.ts";
import { ORDERS } from "../../../orders/orders.ts";

/** An order as people give it on a page. */
export interface Act {
  readonly order: Order;
  /** On what leads to it. */
  readonly link: string;
  /** Before the name of what it is about: the question, and the button that answers it. */
  readonly verb: string;
  /** After that name. */
  readonly done: string;
  /** The order that takes it back. */
  readonly undo?: string;
  /** It stops something, or lets it bill unseen. */
  readonly isGrave: boolean;
}

type Words = Pick<Act, "verb" | "done"> & Partial<Pick<Act, "link" | "undo" | "isGrave">>;

const WORDS: Readonly<Partial<Record<About, Readonly<Record<string, Words>>>>> = {
  fleet: {
    pause: { verb: "Pause", done: "is paused: nothing is launched or stopped for it.", undo: "resume" },
    resume: { verb: "Resume", done: "is resumed: launches are tried now." },
    drain: {
      verb: "Drain",
      done: "drains: what surely is its own is stopped, and nothing is launched.",
      undo: "resume",
      isGrave: true,
    },
    wake: { verb: "Wake", done: "wants its whole count again." },
    ask: {
      verb: "Change the count of",
      link: "Change count",
      done: "has the count that you asked for.",
      undo: "end-ask",
    },
    "end-ask": {
      verb: "End what was asked for of",
      link: "End what was asked for",
      done: "has the count of its declaration again.",
    },
  },
  deployment: {
    stop: {
      verb: "Stop",
      done: "is told to stop. It bills until its end shows.",
      isGrave: true,
    },
    hold: {
      verb: "Hold",
      done: "is held: no stop that fleetkeeper chooses takes it.",
      undo: "release",
    },
    release: { verb: "Release", done: "is held no more.", undo: "hold" },
    adopt: { verb: "Adopt", done: "is adopted." },
    disown: {
      verb: "Disown",
      done: "is nobody's here. It keeps running and billing.",
      isGrave: true,
    },
    seen: { verb: "Put away", done: "was put away: it needs nobody any more." },
  },
  account: {
    resume: { verb: "Let launches go on in", link: "Let launches go on", done: "may launch again." },
    seen: {
      verb: "Put away all failed launches of",
      link: "Put them away",
      done: "has no failed launch any more that needs somebody.",
    },
    stop: {
      verb: "Stop everything in",
      link: "Stop everything",
      done: "stops all that surely is its own, and launches nothing.",
      isGrave: true,
    },
  },
};

/**
 * All but declarations, which are written as files are.
 * @internal Exported for its test.
 */
export const ACTS: readonly Act[] = ORDERS.flatMap((order) => {
  const words = WORDS[order.about]?.[order.name];
  return words ? [{ link: words.verb, isGrave: false, ...words, order }] : [];
});

export function actNamed(about: About, name: string): Act | undefined {
  return ACTS.find(({ order }) => order.about === about && order.name === name);
}
