/** `skipped`: it could not be looked at, because of something that another check says. */
export type Level = "ok" | "warning" | "problem" | "skipped";

/** In the order in which they are shown. */
export const SECTIONS = [
  "configuration",
  "service",
  "operations",
  "deployments",
  "offers",
  "fleets",
] as const;
export type Section = (typeof SECTIONS)[number];

/** What to do about a finding. */
export interface Remedy {
  /** One sentence. */
  readonly text: string;
  /** `acme.profile.yaml:5:3`: where the lines belong. */
  readonly at?: string;
  /** YAML as it is to stand there, indentation included. `<...>` is for the user to fill in. */
  readonly lines?: readonly string[];
  /** The lines hold guesses from names and values. A person must confirm them; nothing uses them alone. */
  readonly proposed?: true;
}

/** One thing that was looked at. */
export interface Check {
  /** Stable, for programs: `profile`, `operation.launch`, `fleet.training.mix`. */
  readonly id: string;
  readonly section: Section;
  readonly level: Level;
  /** What was found, in a sentence or two. */
  readonly says: string;
  /** Lines that belong to it. */
  readonly details?: readonly string[];
  readonly remedy?: Remedy;
  /** A problem of the configuration itself: exit code 2. */
  readonly configuration?: true;
}

/** What `fleetkeeper doctor` found. JSON-able, and fit to be printed: no secret, no control characters. */
export interface DoctorReport {
  /** 0: nothing stops launches. 1: something does. 2: the configuration itself is wrong. */
  readonly exitCode: 0 | 1 | 2;
  readonly baseUrl: string;
  readonly profile: string;
  /** Requests that were sent, all of them GETs. */
  readonly requests: number;
  readonly checks: readonly Check[];
}

export function exitCodeOf(checks: readonly Check[]): DoctorReport["exitCode"] {
  const problems = checks.filter(({ level }) => level === "problem");
  if (problems.some(({ configuration }) => configuration === true)) return 2;
  return problems.length > 0 ? 1 : 0;
}

/** `1 deployment`, `3 deployments`. */
export function count(amount: number, noun: string): string {
  return `${amount} ${noun}${amount === 1 ? "" : "s"}`;
}
