import type { Imported, Properties } from "../runtime/inputs/resource-kind.ts";
import type { Environment } from "../runtime/session/environment.ts";
import { digestOf, pluginType } from "../stack/pair.ts";
import { HALVES } from "./half-kinds.ts";

const DEPLOYMENT = "fleetkeeper:index:Deployment";
const [SLOT, MACHINE] = [pluginType("Slot"), pluginType("Machine")];

/** An engine imports a component by a file alone: without an id, and its children beside it. */
export function whyByFile(type: string, urn: string, id: string): string {
  if (type !== DEPLOYMENT)
    return "import: a Fleet is a number of GPUs, and no machine: declare it, and give it a machine by fleetkeeper adopt ID --fleet NAME.";
  const [, , , name = ""] = urn.split("::");
  const resources = [
    { type, name, component: true },
    { type: SLOT, name: `${name}-slot`, logicalName: name, id, parent: name },
    { type: MACHINE, name: `${name}-machine`, logicalName: name, id, parent: `${name}-slot` },
  ];
  return (
    "import: Pulumi imports a Deployment by a file alone: pulumi import --generate-code=false --file FILE, where FILE has " +
    `${JSON.stringify({ resources })}. Or take the machine with the argument adopt: it says the same in the program.`
  );
}

/**
 * What an import puts into the state of a half, whose URN says where it belongs. Both halves are imported by the id of the machine.
 * The slot's own follows from it, since an engine tells neither half of the other.
 */
export async function imported(
  type: string,
  urn: string,
  id: string,
  env: Environment,
): Promise<Imported & { readonly id: string }> {
  const [prefix = "", project = "", types = "", name = ""] = urn.split("::");
  const stack = prefix.split(":").at(-1);
  const of = types.split("$").slice(0, type === SLOT ? -1 : -2);
  const machine = HALVES[MACHINE]?.kind.import;
  const above = type === SLOT ? [DEPLOYMENT, SLOT] : [DEPLOYMENT, SLOT, MACHINE];
  if (!types.endsWith(above.join("$")) || machine === undefined)
    throw new Error(whyByFile(type === SLOT || type === MACHINE ? DEPLOYMENT : type, urn, id));
  const component = [prefix, project, of.join("$"), name].join("::");
  const resource = digestOf(component);
  const slot = digestOf(`${component} ${id}`);
  const label = `${project}/${stack}/${name}`;
  const found = await machine(env, id, { label, slot, resource });
  if (type === MACHINE) return { id, ...found };
  const { offer, provider, location, ledger } = found.inputs;
  const inputs: Properties = { label, offer, provider, location };
  return { id: slot, inputs, outs: { ...inputs, ledger } };
}
