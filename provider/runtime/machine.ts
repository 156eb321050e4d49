import { claimedBy, contextOf, enterSlot, sameAccount, slotOwner } from "../../launch/index.ts";
import type { DeploymentRow } from "../../ledger/index.ts";
import { awaitRunning } from "./await-running.ts";
import { emptySlot } from "./empty-slot.ts";
import type { Session } from "./environment.ts";
import { endText } from "./failure-text.ts";
import { fillSlot } from "./fill-slot.ts";
import type { MachineInputs } from "./inputs.ts";
import { checked, machineInputs, nameOf, parsedAs, timeoutOf } from "./inputs.ts";
import { machineOuts } from "./machine-outs.ts";
import { isMadeWith, slotMadeElsewhere } from "./made-with.ts";
import { OutOfPatience, patience } from "./patience.ts";
import type { Progress } from "./progress.ts";
import { progressOf } from "./progress.ts";
import type { Properties, ResourceKind } from "./resource-kind.ts";
import { NotAsItShouldBe } from "./resource-kind.ts";
import { same } from "./same.ts";
import { readSlot } from "./slot-state.ts";

/** What can be changed without another machine. The rest belongs to the slot, which then is another one. */
const IN_PLACE = ["gpus", "pricePerHour", "awaitRunning"] as const;

/**
 * The machine in a slot: the half of a `Deployment` that costs money. Its create may be called again for the same slot,
 * after an interruption, by `--replace` or by taint: it returns the machine that is there. So its delete does nothing where the ledger
 * knows the slot: the slot's own delete stops everything in it.
 */
export const machine: ResourceKind = {
  check: async (_env, news) => checked(machineInputs, news),

  async diff(env, id, olds, news) {
    const slot = String(olds.slot);
    if (news.slot !== olds.slot) return { changes: true, replaces: ["slot"] };
    const session = await env.session();
    await session.rounds.glance();
    const row = await rowOf(session, id);
    const filled = (await readSlot(session.keeper, slot)).machine;
    if (row?.end != null || row?.claim === "foreign" || (filled !== undefined && filled.id !== id)) {
      const tell = progressOf(env.say, nameOf(news));
      tell(
        row?.end != null ? endText(row, session.keeper.service) : `its place is not filled by ${id} any more`,
      );
      return { changes: true, replaces: ["deploymentId"] };
    }
    if (row === undefined || row.missing !== null) {
      progressOf(
        env.say,
        nameOf(news),
      )(`${id} is not shown by the service just now: run pulumi refresh in a minute`);
    }
    const moved = row !== undefined && (row.status !== olds.status || row.claim !== olds.claim);
    return { changes: moved || IN_PLACE.some((key) => !same(olds[key], news[key])), replaces: [] };
  },

  async create(env, given) {
    const inputs = parsedAs(machineInputs, given);
    const tell = progressOf(env.say, nameOf(given));
    const session = await env.session();
    await enter(session, inputs);
    const wait = patience(session.keeper.clock, timeoutOf(given, "create"), env.signal);
    const row = await fillSlot(session, inputs, tell, wait);
    return { id: row.id, outs: await settled(session, row, given, inputs, tell, wait) };
  },

  async read(env, id, props) {
    const session = await env.session();
    await session.rounds.glance();
    const row = await rowOf(session, id);
    if (row === undefined || (row.missing !== null && row.end === null)) {
      throw new Error(
        `${id} is not shown by the service just now, though it shows every deployment whatever its status. That is not ` +
          "taken for its end until two lists some time apart agree: run this again in a minute.",
      );
    }
    return row.end === "gone" ? undefined : machineOuts(props, row);
  },

  async update(env, id, _olds, given) {
    const inputs = parsedAs(machineInputs, given);
    const tell = progressOf(env.say, nameOf(given));
    const session = await env.session();
    await session.rounds.recent(session.keeper.settings.poll);
    const row = await rowOf(session, id);
    if (row === undefined) throw new Error(`${id} is not in the ledger ${session.keeper.ledger.location}`);
    const wait = patience(session.keeper.clock, timeoutOf(given, "update"), env.signal);
    return settled(session, row, given, inputs, tell, wait);
  },

  async delete(env, id, props) {
    const slot = String(props.slot);
    const ledger = await env.ledger();
    if ((await ledger.accountOfSlot(slot)) !== undefined) return;
    await takeOver(await env.session(), id, props);
    await emptySlot(env, slot, props);
  },
};

/** The state of a machine that was made, with an error that keeps it in the state if it does not run as it should. */
async function settled(
  session: Session,
  row: DeploymentRow,
  given: Properties,
  inputs: MachineInputs,
  tell: Progress,
  wait: ReturnType<typeof patience>,
): Promise<Properties> {
  if (inputs.awaitRunning === false && row.end === null) return machineOuts(given, row);
  try {
    const waited = await awaitRunning(session, row.id, tell, wait);
    if (!waited.running) throw new NotAsItShouldBe(waited.why, row.id, machineOuts(given, waited.row));
    tell(`${row.id} is running`);
    return machineOuts(given, waited.row);
  } catch (error) {
    if (!(error instanceof OutOfPatience)) throw error;
    const newest = (await rowOf(session, row.id)) ?? row;
    throw new NotAsItShouldBe(error.message, row.id, machineOuts(given, newest));
  }
}

/** From here on the ledger knows the slot. One that another ledger may know more of is not entered. */
async function enter({ keeper }: Session, { slot, label, ledger: madeWith }: MachineInputs): Promise<void> {
  const { ledger, account } = keeper;
  const owner = await ledger.accountOfSlot(slot);
  sameAccount(keeper, owner, `slot ${slot}`);
  if (owner === undefined && !isMadeWith(madeWith, ledger)) throw slotMadeElsewhere(slot, madeWith, ledger);
  await ledger.decide(account, (draft) => enterSlot(draft, slot, label, contextOf(keeper)));
}

/**
 * This ledger never knew the slot, but the state names its machine, and whether it is certainly ours: that certainty
 * travels in the state, and is written down here before anything is stopped by it.
 */
async function takeOver({ keeper, rounds }: Session, id: string, props: Properties): Promise<void> {
  await rounds.next();
  const slot = String(props.slot);
  await keeper.ledger.decide(keeper.account, (draft) => {
    const context = contextOf(keeper);
    enterSlot(draft, slot, String(props.label), context);
    const row = draft.deployments.get(id);
    if (row === undefined || row.claim !== null || claimedBy(draft, slotOwner(slot)).length > 0) return;
    const claim = props.claim === "certain" ? "certain" : "inferred";
    draft.putDeployment({ ...row, claim, owner: slotOwner(slot), claimed: context.now });
  });
}

async function rowOf({ keeper }: Session, id: string): Promise<DeploymentRow | undefined> {
  return (await keeper.ledger.read(keeper.account)).deployments.find((row) => row.id === id);
}
