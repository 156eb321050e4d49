import type { Keeper, LaunchResult, LaunchWish } from "../../launch/index.ts";
import { contextOf, launch, slotFull, slotOwner } from "../../launch/index.ts";
import type { DeploymentRow } from "../../ledger/index.ts";
import { place } from "../../service/contract.ts";
import { FleetkeeperError } from "../../service/errors.ts";
import { undecided } from "./doubt.ts";
import type { Session } from "./environment.ts";
import type { MachineInputs } from "./inputs.ts";
import type { Patience } from "./patience.ts";
import { outlive } from "./patience.ts";
import type { Progress } from "./progress.ts";
import { readSlot } from "./slot-state.ts";

/** How often a launch that surely did not leave this machine is tried again. */
const SENDS = 5;
const FIRST_PAUSE_MS = 1_000;
/** How long to wait for another launch that a list could not tell from this one; looking costs no request. */
const NEIGHBOUR_MS = 250;

/**
 * Brings one machine into the slot and returns its claim, by the launch protocol: what is there is taken, what is not
 * known is looked for, and only then is anything launched. It may be interrupted at any point and called again.
 */
export async function fillSlot(
  { keeper, rounds }: Session,
  inputs: MachineInputs,
  tell: Progress,
  patience: Patience,
): Promise<DeploymentRow> {
  const { clock, settings } = keeper;
  let unsent = 0;
  let looked = false;
  for (;;) {
    patience.check(`no machine of ${place(inputs)}`);
    const { slot, machine, alive, open, disputed } = await readSlot(keeper, inputs.slot);
    if (slot?.closing) throw deleted(inputs.slot);
    if (machine) {
      if (looked) return machine;
      // The ledger may be older than the machine's end.
      await outlive(
        async () => {
          await rounds.recent(settings.poll);
          looked = true;
        },
        tell,
        () => clock.sleep(settings.poll, patience.signal),
      );
      continue;
    }
    looked = true;
    if (disputed.length > 0) throw undecided(inputs.slot, { disputed, inferred: [] });
    if (open.length > 0 || alive.length > 0) {
      tell(
        open[0]
          ? `looking for ${place(open[0])}: ${open[0].detail}`
          : `waiting until ${alive[0]?.id} has stopped`,
      );
      await lookAgain();
      continue;
    }
    const settled = await settle(await launchOnce());
    if (settled) throw settled;
  }

  async function launchOnce(): Promise<LaunchResult> {
    await outlive(
      () => rounds.recent(settings.poll / 2),
      tell,
      () => clock.sleep(settings.poll, patience.signal),
    );
    tell(`launching ${place(inputs)}`);
    return launch(keeper, wishOf(keeper, inputs));
  }

  /** What follows from one attempt: an error that ends it, or nothing, and the rows are looked at again. */
  async function settle(result: LaunchResult): Promise<Error | undefined> {
    switch (result.kind) {
      case "claimed":
        tell(`launched as ${result.id}`);
        return undefined;
      case "open":
        tell(`its outcome is not certain yet: ${result.reason}`);
        await outlive(
          () => rounds.next(),
          tell,
          async () => undefined,
        );
        return undefined;
      case "cooling":
        // The row knows how long it still cools: the next attempt is refused with that.
        return undefined;
      case "rejected":
        return rejected(inputs, result.reason);
      case "notSent": {
        unsent += 1;
        if (unsent >= SENDS) return unreachable(inputs, result.reason);
        tell(`nothing was sent (${result.reason}), trying again`);
        await clock.sleep(FIRST_PAUSE_MS * 2 ** (unsent - 1), patience.signal);
        return undefined;
      }
      case "refused":
        return refused(result.refusal);
    }
  }

  async function refused(
    refusal: Extract<LaunchResult, { kind: "refused" }>["refusal"],
  ): Promise<Error | undefined> {
    switch (refusal.why) {
      case "cooling":
        tell(
          `${place(inputs)} is cooling down: waiting ${Math.ceil(refusal.ms / 1000)} s, as the service said`,
        );
        await clock.sleep(refusal.ms, patience.signal);
        return undefined;
      case "group":
        tell(`waiting: ${refusal.text}`);
        await neighbour();
        return undefined;
      case "late":
        tell(`waiting: ${refusal.text}`);
        await lookAgain();
        return undefined;
      case "stale":
        await outlive(
          () => rounds.next(),
          tell,
          () => clock.sleep(settings.poll, patience.signal),
        );
        return undefined;
      case "full":
        return undefined;
      case "budget":
      case "halted":
      case "tenure":
        return new FleetkeeperError("REFUSED", `${place(inputs)} was not launched: ${refusal.text}`);
    }
  }

  /** The other launch is most often answered in a moment; where it is not, lists must resolve it. */
  async function neighbour(): Promise<void> {
    await clock.sleep(Math.min(NEIGHBOUR_MS, settings.poll), patience.signal);
    await outlive(
      () => rounds.recent(settings.poll),
      tell,
      async () => undefined,
    );
  }

  async function lookAgain(): Promise<void> {
    await outlive(
      () => rounds.poll(patience.signal),
      tell,
      async () => undefined,
    );
  }
}

function wishOf(keeper: Keeper, inputs: MachineInputs): LaunchWish {
  const { slot, offer, provider, location, gpus = 1, pricePerHour = null, parameters = {} } = inputs;
  return {
    owner: slotOwner(slot),
    offer,
    provider,
    location,
    gpus,
    pricePerHour,
    parameters,
    limits: {},
    full: (draft) => slotFull(draft, slot, contextOf(keeper)),
  };
}

function rejected(inputs: MachineInputs, reason: string): FleetkeeperError {
  return new FleetkeeperError(
    "REFUSED",
    `the service refused to launch ${place(inputs)}: ${reason}. Nothing was launched.`,
  );
}

function unreachable(inputs: MachineInputs, reason: string): FleetkeeperError {
  return new FleetkeeperError(
    "UNREACHABLE",
    `${place(inputs)} could not be launched, nothing was sent: ${reason}`,
  );
}

function deleted(slot: string): FleetkeeperError {
  return new FleetkeeperError(
    "REFUSED",
    `the deletion of slot ${slot} has begun, so nothing is launched into it any more: run pulumi destroy to its end, or pulumi up --replace of the slot`,
  );
}
