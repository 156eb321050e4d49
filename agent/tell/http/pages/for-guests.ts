import { holdText, kindOf } from "../../../../launch/facts/hold.ts";
import { type EventKind, ofKind } from "../../../../ledger/event-kind.ts";
import type { Instant } from "../../../../ledger/instant.ts";
import type { FleetRow } from "../../../../ledger/rows.ts";

/*
 * What a share link shows in place of texts that are not for everybody: an answer of the service, a path, a
 * host, a name in the fleet file. A text says not of what it was made, so none is searched for what to hide:
 * the whole of it is left out, and fixed words say what it is about.
 */

/** For each fleet that waits for something, and for whatever else is not said. */
export const NOT_HERE = "Why is told to whoever has the agent's token.";

/** Why a fleet waits, for guests: each kind of hold whose numbers give nothing away. */
export function reasonsForGuests(fleet: FleetRow | undefined, { wall }: Instant): readonly string[] {
  const { holds = [], reasons = [] } = fleet ?? {};
  const open = holds.filter((each) => kindOf(each).guests === "open");
  const isAll = open.length === holds.length && reasons.length === 0;
  return [...open.map((each) => holdText(each, wall)), ...(isAll ? [] : [NOT_HERE])];
}

const OWN = "own";

/** The words for each kind of event. `OWN`: its own text is made of names, places, counts and states only. */
const EVENTS: Readonly<Record<EventKind, string>> = {
  launch: OWN,
  refused: "the service refused a launch",
  cooldown: OWN,
  unknown: "nobody knows yet what came of a launch: it is looked for before anything is sent again",
  claimed: OWN,
  absent: OWN,
  disputed: OWN,
  unclaimed: OWN,
  unshown: OWN,
  reused: OWN,
  stuck: "a machine does not stop",
  unstuck: OWN,
  held: "launches failed, and the next ones wait",
  churned: "so many machines ended young that nothing is launched for the fleet",
  updateFailed: "a machine was not ready in time to replace another one",
  idle: "a machine is idle by the fleet's own check",
  unmeasured: "the metric that the fleet's size follows is not known",
  measured: "the metric that the fleet's size follows is known again",
  asked: "a person asks for another size of the fleet, or does no more",
  workDone: OWN,
  workMissed: OWN,
  notReady: "a machine runs, and the fleet's own check does not call it ready",
  setupTried: "a machine could not be set up, and it is tried again",
  setUp: "a machine is set up",
  setupFailed: "a machine could not be set up",
  unhealthy: "a machine is bad by the fleet's own health check, and was so for long",
  healthy: OWN,
  notServing: "a machine is paid for and does not serve",
  returned: OWN,
  running: OWN,
  otherGpus: OWN,
  dearer: OWN,
  // What the service says of a machine's end is shown with the machine, too.
  failed: OWN,
  support: OWN,
  interrupted: OWN,
  stopped: OWN,
  gone: OWN,
  stop: "a machine is told to stop",
  gaveBack: OWN,
  stopHook: "a command runs before a machine is stopped",
  notSaved: "the command before a machine's stop failed",
  halted: "launches are halted",
  badRecord: "a record of the service cannot be read in full",
  distrust: OWN,
  keptBack: "a person holds a machine, or holds it no more",
  adopted: OWN,
  disowned: OWN,
  runway: OWN,
  budget: "a limit on money is spent in part",
  unwritable: "the ledger could not be written for a while, and nothing was launched or stopped meanwhile",
  unreadable: "the service cannot be read: nothing new is launched or stopped meanwhile",
  serviceOut: "one of the fleet's services takes no machines: the others go on",
  keyRefused: "the service refuses the key: nothing new is launched or stopped meanwhile",
  readable: OWN,
  slowList: OWN,
  profileChanged: "the profile of the service changed with an upgrade",
  paused: OWN,
  lowered: OWN,
  drained: OWN,
  resumed: OWN,
  renamed: OWN,
  tenure: OWN,
  seen: OWN,
  shared: "a share link was made or ended",
  declared: OWN,
  ordered: "something was ordered",
  token: "a token of the API was made or revoked",
  reloaded: "the fleet file was read anew",
  notReloaded: "the fleet file or a setting needs a look",
  targetGone: "the fleet file or a setting needs a look",
};

/** What a guest reads of an event. A kind of another version may hold anything. */
export function eventForGuests({ kind, text }: { readonly kind: string; readonly text: string }): string {
  const words = ofKind(EVENTS, kind) ?? "something happened";
  return words === OWN ? text : words;
}
