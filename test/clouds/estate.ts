/*
 * The ground truth of the stand-ins here: which machines a service has, and bills. They share nothing with the
 * simulator but the virtual clock, so a mistake that the simulator and the product have in common shows.
 */

export interface Machine {
  readonly id: number;
  /** What its launch called it. A stranger's is none of ours. */
  readonly name: string;
  readonly kind: string;
  readonly where: string;
  readonly gpus: number;
  readonly since: number;
  /** Halted: it is billed, and does not serve. */
  state: "starting" | "serving" | "halted" | "stopping" | "over";
  /** When it leaves its state by itself. */
  due: number;
}

const STARTS_MS = 90_000;
const STOPS_MS = 40_000;

/** `variant`, from 0 to 2: which of several a service does where its document leaves it open. */
export function createEstate(now: () => number, variant: number) {
  const machines: Machine[] = [];
  let ids = 48_100;
  const move = (machine: Machine, state: Machine["state"], ms = Number.POSITIVE_INFINITY): void => {
    machine.state = state;
    machine.due = now() + ms;
  };
  /** Those that are billed. */
  const billed = (): readonly Machine[] => {
    for (const machine of machines) {
      if (now() < machine.due) continue;
      if (machine.state === "starting") move(machine, "serving");
      else if (machine.state === "stopping") move(machine, "over");
    }
    return machines.filter(({ state }) => state !== "over");
  };
  return {
    now,
    variant,
    billed,
    all: machines as readonly Machine[],
    find: (id: string | number) => billed().find((machine) => String(machine.id) === String(id)),
    launch(what: Pick<Machine, "name" | "kind" | "where" | "gpus">): Machine {
      ids += 1;
      const machine: Machine = { ...what, id: ids, since: now(), state: "starting", due: now() + STARTS_MS };
      machines.push(machine);
      return machine;
    },
    stop: (machine: Machine) =>
      machine.state === "stopping" ? undefined : move(machine, "stopping", STOPS_MS),
    halt: (machine: Machine) => move(machine, "halted"),
    /** It is lost, and is billed no more. */
    lose: (machine: Machine) => move(machine, "over"),
    newest: () => machines.at(-1),
  };
}

export type Estate = ReturnType<typeof createEstate>;

/** What a service answers. A body that is a text is sent as it stands. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

export interface Asked {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** A service by its own document: what it answers, and which of its requests is a launch. */
export interface StandIn {
  readonly isLaunch: (asked: Asked) => boolean;
  /** Undefined: the service has no such call, which a profile must not ask for. */
  readonly answer: (estate: Estate, asked: Asked) => Answer | undefined;
  /** What it says when it has no machine left. */
  readonly soldOut: Answer;
  /** An error that made a machine all the same, where the service has such. */
  readonly madeInError?: (machine: Machine) => Answer;
  /** No launch has a name there: the account is the fleet's alone, without a stranger. */
  readonly isExclusive?: true;
  /** For the profile's `{settings.NAME}`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** The fleet that is kept there: 8 GPUs. */
  readonly wish: Readonly<Record<string, unknown>>;
}

export function idIn(path: string, pattern: RegExp): string | undefined {
  return pattern.exec(path)?.[1];
}
