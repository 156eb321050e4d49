import { sentence } from "../../../../launch/ends/failure-advice.ts";
import { stopCallsText, whyNotStopping } from "../../../../launch/ends/not-stopping.ts";
import { contextOf, type Keeper } from "../../../../launch/keeper.ts";
import { carryOutStops, takeList } from "../../../../launch/protocol.ts";
import { readDraft } from "../../../../ledger/read-draft.ts";
import type { DeploymentRow } from "../../../../ledger/rows.ts";
import { type FleetkeeperError, isPassing } from "../../../../service/contract/errors.ts";
import { savingText } from "../../../fleet/text/saving-text.ts";
import { cleanFor } from "../../../fleet/text/text.ts";
import { shortRow } from "../../../status/short-row.ts";
import type { CliContext } from "../shared/cli-context.ts";

/** The longest wait between two looks at a stop. */
const LOOK_MS = 5_000;

/** What a wait is for: living machines, and one line for people about each other thing. */
export interface Awaited {
  readonly machines: readonly DeploymentRow[];
  readonly others: readonly string[];
}

/**
 * Sends the stop calls that are due and takes lists, until nothing is left to wait for. Reports each change
 * on standard error. `left` is called after each list: it says what is left, and may ask for further stops. A
 * service that cannot be read is asked again: machines bill on. Rejects when the signal aborts.
 */
export async function awaitEnd(
  keeper: Keeper,
  left: () => Promise<Awaited>,
  cli: CliContext,
  until: "once" | "until over",
): Promise<void> {
  const { clock, settings } = keeper;
  const tell = teller(cli);
  const round = async (): Promise<void> => {
    await carryOutStops(keeper, cli.signal);
    await takeList(keeper, cli.signal);
  };
  for (let awaited = await left(); ; ) {
    await tellTrouble(tell, round, cli.signal);
    const before = awaited;
    awaited = await left();
    await tellEnds(keeper, before, awaited, tell);
    if (until === "once" || awaited.machines.length + awaited.others.length === 0) return;
    await clock.sleep(Math.min(settings.poll, LOOK_MS), cli.signal);
  }
}

type Tell = (about: string, text: string | undefined) => void;

/** Reports a text about a thing once, until its text changes. */
export function teller(cli: CliContext): Tell {
  const clean = cleanFor(cli);
  const said = new Map<string, string | undefined>();
  return (about, text) => {
    if (said.get(about) === text) return;
    said.set(about, text);
    if (text !== undefined) cli.tell(clean(text, 1000));
  };
}

/** Undefined: it could not be done now, and that is told. */
export async function tellTrouble<T>(
  tell: Tell,
  work: () => Promise<T>,
  signal: AbortSignal,
  mayPass: (error: unknown) => error is FleetkeeperError = isPassing,
): Promise<T | undefined> {
  try {
    const done = await work();
    tell("service", undefined);
    return done;
  } catch (error) {
    if (signal.aborted || !mayPass(error)) throw error;
    tell("service", `${error.message} Tried again until it answers.`);
    return undefined;
  }
}

async function tellEnds(keeper: Keeper, before: Awaited, after: Awaited, tell: Tell): Promise<void> {
  const draft = await readDraft(keeper);
  for (const { id } of before.machines) {
    const row = draft.deployments.ever(id);
    if (row && row.end !== null) tell(id, `${id} ${row.end === "gone" ? "is gone" : row.end}`);
  }
  for (const row of after.machines) {
    const { id, status, stop } = row;
    const calls = stop?.calls && status !== "stopping" ? `: ${stopCallsText({ stop })}` : "";
    const why = whyNotStopping(draft, row, contextOf(keeper));
    const saves = savingText(shortRow(draft, row), keeper.clock.now().wall);
    const says = `${id} is ${[status, saves].filter((each) => each !== undefined).join(", ")}${row.missing ? ", and the newest list lacks it" : ""}${calls}`;
    tell(id, why ?? (stop?.error ? `${sentence(says)} Tried again until it has ended.` : says));
  }
  for (const other of after.others) tell(other, other);
}
