import {
  type LeftBehind,
  leftBehind,
  markLeftBehind,
  type NewSlot,
  slotMachine,
} from "../../../launch/index.ts";
import { readDraft } from "../../../ledger/index.ts";
import { amountText } from "../../../service/contract/money.ts";
import type { MachineInputs } from "../inputs/inputs.ts";
import type { Properties } from "../inputs/resource-kind.ts";
import { isUnknown } from "../inputs/unknown.ts";
import type { Environment } from "../session/environment.ts";

/**
 * Why a new machine would be the second one of its resource, or undefined: this ledger has another in a slot
 * that the stack's state lost, as after `pulumi state delete`. Preview and up refuse: both would cost money.
 *
 * Asked only if the engine shows no earlier machine. It has named each slot of the state by then, in the
 * slot's diff or its machine's inputs. If `--replace` or taint name both halves, it has not: refused too.
 */
export async function whyRentedTwice(env: Environment, news: Properties): Promise<string | undefined> {
  const ledger = await env.ledgerThere();
  if (ledger === undefined) return undefined;
  const to = newSlotOf(news);
  for (const { key } of await ledger.accounts()) {
    const others = leftBehind(await readDraft({ ledger, account: key }), to).filter(
      ({ slot, machine, launch }) => !env.held.has(slot.id) && (launch || machine?.id !== news.adopt),
    );
    if (others.length === 0) continue;
    await ledger.decide(key, (draft) => {
      for (const { slot } of others) markLeftBehind(draft, slot.id);
    });
    return text(others, (await ledger.read(key)).account.currency);
  }
  return undefined;
}

/**
 * The machine that the slot of these inputs has already, as where `--replace` or taint name a machine alone.
 * Its create then returns that machine and launches nothing.
 */
export async function machineInSlot(env: Environment, news: Properties): Promise<string | undefined> {
  const { id } = newSlotOf(news);
  const ledger = id === undefined ? undefined : await env.ledgerThere();
  if (id === undefined || ledger === undefined) return undefined;
  for (const { key } of await ledger.accounts()) {
    const machine = slotMachine(await readDraft({ ledger, account: key }), id);
    if (machine !== undefined) return machine.id;
  }
  return undefined;
}

export function newSlotOf({ slot, label, resource }: Properties | MachineInputs): NewSlot {
  return {
    id: isUnknown(slot) ? undefined : String(slot),
    name: String(label),
    resource: resource === undefined || isUnknown(resource) ? undefined : String(resource),
  };
}

function text(others: readonly LeftBehind[], currency: string | undefined): string {
  const machines = others.flatMap(({ machine }) => (machine ? [machine] : []));
  const [first] = machines;
  const slots = others.map(({ slot }) => slot.id).join(", ");
  const where = `in slot ${slots}, which the stack's state does not show any more (as after pulumi state delete)`;
  if (first === undefined)
    return (
      `a launch for this very resource is not resolved yet, ${where}: ${others[0]?.launch?.detail}. Another machine might be paid for ` +
      "beside what it made: run this again in some minutes; fleetkeeper status shows what came of it."
    );
  const ids = machines.map(({ id, status, pricePerHour }) =>
    pricePerHour === null
      ? `${id} (${status})`
      : `${id} (${status}, ${amountText(pricePerHour, currency)} an hour)`,
  );
  return (
    `${ids.join(" and ")} was rented for this very resource, ${where}; another one would be paid for beside it, and nothing is ` +
    `launched. To keep it: adopt: "${first.id}" among the arguments. To rent another one: fleetkeeper deployments stop ${first.id} first, or ` +
    `fleetkeeper disown ${first.id}, and it runs on as nobody's. If both halves are to be replaced (--replace, taint): name ...:Slot alone (pulumi state untaint takes back a taint of ...:Machine).`
  );
}
