/** `skipped`: it could not be looked at. Another check says why. */
export type Level = "ok" | "warning" | "problem" | "skipped";

/** In the order of the report, with their titles. */
export const SECTIONS = {
  configuration: "Configuration",
  service: "Service",
  operations: "What the profile covers",
  deployments: "Deployments",
  offers: "Offers",
  fleets: "Fleets",
} as const;
type Section = keyof typeof SECTIONS;

/** What to do about a finding. */
export interface Remedy {
  /** One sentence. */
  readonly text: string;
  /** `acme.profile.yaml:5:3`: where the lines belong. */
  readonly at?: string | undefined;
  /** YAML with its indentation. The user fills in every `<...>`. */
  readonly lines?: readonly string[] | undefined;
  /** The lines are guesses from names and values. A person must confirm them; no code ever uses them. */
  readonly proposed?: true;
}

/** One finding. */
export interface Check {
  /** Stable, for programs: `profile`, `operation.launch`, `fleet.training.mix`. */
  readonly id: string;
  readonly section: Section;
  readonly level: Level;
  /** What was found, in one or two sentences. */
  readonly says: string;
  /** Lines below the sentence. */
  readonly details?: readonly string[] | undefined;
  readonly remedy?: Remedy | undefined;
  /** The configuration itself is wrong: exit code 2. */
  readonly configuration?: true;
}

type Finding = (says: string, remedy?: Remedy, more?: Pick<Check, "details" | "configuration">) => Check;

/** Makes the findings of one check, by level: `finding("service", "clock").ok("It agrees.")`. */
export function finding(section: Section, id: string, subject = ""): Readonly<Record<Level, Finding>> {
  const at =
    (level: Level): Finding =>
    (says, remedy, more) => ({ id, section, level, says: subject + says, remedy, ...more });
  return { ok: at("ok"), warning: at("warning"), problem: at("problem"), skipped: at("skipped") };
}

/** What `fleetkeeper doctor` found. Fit for JSON and a terminal: no secret, no control characters. */
export interface DoctorReport {
  /** 0: launches are possible. 1: something stops them. 2: the configuration itself is wrong. */
  readonly exitCode: 0 | 1 | 2;
  readonly baseUrl: string;
  readonly profile: string;
  /** How many requests were sent, all of them GETs. */
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
