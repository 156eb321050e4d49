import { type EventKind, ofKind } from "../../../ledger/event-kind.ts";
import type { AlertKind } from "../../fleet/file/notify-settings.ts";
import type { Level } from "./entry.ts";

/** How people are told of a kind of event. */
export interface HowTold {
  /** How loud it is in the log. */
  readonly level: Level;
  /** How it looks on the status page, if that differs from the log. */
  readonly look?: "bad" | "warn" | "ok";
  /** The kind of alert that it is. Left out: nobody is notified. */
  readonly alert?: AlertKind;
}

const HOW_TOLD: Readonly<Record<EventKind, HowTold>> = {
  launch: { level: "info" },
  refused: { level: "warn" },
  cooldown: { level: "info", look: "warn" },
  unknown: { level: "warn" },
  claimed: { level: "info" },
  absent: { level: "warn" },
  disputed: { level: "warn", alert: "disputed" },
  unclaimed: { level: "warn", alert: "unclaimed" },
  unshown: { level: "warn", alert: "unclaimed" },
  reused: { level: "warn", alert: "unclaimed" },
  stuck: { level: "warn", alert: "stuck" },
  unstuck: { level: "info", look: "ok", alert: "stuck" },
  held: { level: "warn", alert: "held" },
  // It mostly begins while the fleet is held, and a person must end it. So it is told with "held".
  churned: { level: "warn", alert: "held" },
  notReady: { level: "warn", alert: "notReady" },
  setupTried: { level: "warn" },
  setUp: { level: "info", look: "ok" },
  setupFailed: { level: "warn", look: "bad", alert: "notReady" },
  updateFailed: { level: "warn", look: "bad", alert: "notReady" },
  idle: { level: "warn", alert: "idle" },
  unmeasured: { level: "warn", look: "bad", alert: "unmeasured" },
  measured: { level: "info", look: "ok", alert: "unmeasured" },
  asked: { level: "info" },
  workDone: { level: "info", look: "ok", alert: "work" },
  workMissed: { level: "warn", look: "bad", alert: "work" },
  unhealthy: { level: "warn", look: "bad", alert: "unhealthy" },
  healthy: { level: "info", look: "ok", alert: "unhealthy" },
  notServing: { level: "warn", look: "bad", alert: "notServing" },
  returned: { level: "error", alert: "returned" },
  running: { level: "info", look: "ok", alert: "running" },
  otherGpus: { level: "warn" },
  dearer: { level: "warn" },
  failed: { level: "warn", look: "bad", alert: "support" },
  // No alert of its own: the failure that it is about is told.
  support: { level: "warn" },
  interrupted: { level: "warn", look: "bad", alert: "interrupted" },
  stopped: { level: "info" },
  gone: { level: "warn", look: "bad", alert: "interrupted" },
  stop: { level: "info" },
  gaveBack: { level: "info" },
  stopHook: { level: "info" },
  notSaved: { level: "warn", look: "bad", alert: "notSaved" },
  halted: { level: "error", alert: "halted" },
  badRecord: { level: "warn", alert: "badRecord" },
  distrust: { level: "warn", alert: "distrust" },
  keptBack: { level: "info" },
  adopted: { level: "info" },
  disowned: { level: "info" },
  runway: { level: "warn", alert: "runway" },
  budget: { level: "warn", alert: "budget" },
  // Only a warning: the agent logs the cause at once, as an error.
  unwritable: { level: "warn", look: "bad", alert: "unreadable" },
  unreadable: { level: "warn", look: "bad", alert: "unreadable" },
  keyRefused: { level: "warn", look: "bad", alert: "refused" },
  readable: { level: "info", look: "ok", alert: "readable" },
  // No alert of its own: the outage of the account is told.
  serviceOut: { level: "warn", look: "bad" },
  slowList: { level: "warn", alert: "unreadable" },
  profileChanged: { level: "warn", alert: "settings" },
  paused: { level: "info" },
  drained: { level: "warn", alert: "drained" },
  lowered: { level: "info" },
  resumed: { level: "info" },
  renamed: { level: "info" },
  tenure: { level: "info" },
  seen: { level: "info" },
  shared: { level: "info" },
  declared: { level: "info" },
  ordered: { level: "info" },
  token: { level: "info" },
  reloaded: { level: "info" },
  notReloaded: { level: "warn", alert: "settings" },
  targetGone: { level: "warn", alert: "settings" },
};

const OF_LEVEL: Readonly<Record<Level, string>> = { info: "", warn: "warn", error: "bad" };

/** How people are told of this kind. Another version may have written a kind that this one does not know. */
export function howTold(kind: string): HowTold {
  return ofKind(HOW_TOLD, kind) ?? { level: "info" };
}

/** The CSS class of a kind on the page. */
export function cssClassOf(kind: string): string {
  const { level, look = OF_LEVEL[level] } = howTold(kind);
  return look;
}
