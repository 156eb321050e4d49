import { z } from "zod";
import type { Context } from "../../launch/facts/context.ts";
import { note } from "../../launch/facts/events.ts";
import type { Draft } from "../../ledger/draft.ts";
import type { FleetRow } from "../../ledger/rows.ts";
import { type Declared, type DeclaredChanges, declareAll } from "../fleet/declare/declare-all.ts";
import { isOver, removeFleet } from "../fleet/declare/fleets.ts";
import { andMore } from "../fleet/text/text.ts";
import type { FileSaid } from "../json/answers.ts";
import { fleetsOf, sourceOfFile, withinMost } from "./api-declaration.ts";
import { type Order, order } from "./order.ts";
import { refusal } from "./refusal.ts";

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$/;
const MOST_FLEETS = 200;
/** So many changes are in one event, which stays for good. */
const MOST_NOTED = 20;

const drainsSchema = z
  .array(z.string())
  .optional()
  .describe(
    "fleets that may drain because of it; where another one would, nothing is done. Without: any may",
  );

const DECLARE = {
  name: "declare",
  about: "file",
  needs: "declare",
  says:
    "Declares all fleets of a file, as the agent's own fleet file does: a fleet that it had before and has no more drains. " +
    "It has fleets alone; limits, policies and settings are of the agent's own.",
  input: z.strictObject({ fleets: z.array(z.looseObject({})).max(MOST_FLEETS), drains: drainsSchema }),
  method: "PUT",
} as const;

const REMOVE = {
  name: "remove",
  about: "file",
  needs: "declare",
  says: "Takes back all that a file declared: its fleets drain, and all that they have is stopped.",
  input: z.strictObject({ drains: drainsSchema }),
  method: "DELETE",
  goesOn: true,
} as const;

/** What may be ordered about a fleet file that the API has, under a name. */
export const FILE_ORDERS: readonly Order[] = [
  order({
    ...DECLARE,
    touches: (draft, name, { fleets }) => [
      ...namesOf(draft, name),
      ...fleets.flatMap((fleet) => [fleet.name, renamedIn(draft, fleet)].filter((each) => isText(each))),
    ],
    give: (draft, name, { fleets, drains }, context) => {
      checkName(name);
      refuseParts(draft, name);
      return declared(draft, name, fleetsOf(name, fleets), drains, context);
    },
  }),
  order({
    ...REMOVE,
    touches: namesOf,
    give: (draft, name, { drains }, context) => {
      if (namesOf(draft, name).length === 0)
        throw refusal(`${name}: no file of this name has declared a fleet in this account.`);
      refuseParts(draft, name);
      return declared(draft, name, { fleets: [] }, drains, context);
    },
  }),
];

/** What a file of an agent with several services has for one account. */
export interface FileHere extends Pick<Declared, "fleets" | "leaving" | "homesElsewhere" | "elsewhere"> {
  /** All fleets that it has anywhere. */
  readonly names: ReadonlySet<string>;
  /** First parts that are taken out before all else, in a decision that answers nobody. */
  readonly out: readonly string[];
}

/** The same orders, for one of the accounts that a file with several services is about. */
export function ordersHere(here: FileHere): Readonly<Record<"declare" | "remove" | "takeOut", Order>> {
  const touches = (draft: Draft, name: string) => [
    ...namesOf(draft, name),
    ...[...here.fleets, ...(here.leaving ?? [])].flatMap((fleet) => [
      fleet.part?.of ?? fleet.name,
      ...[renamedIn(draft, fleet)].filter((each) => isText(each)),
    ]),
  ];
  // A first part may be taken out by now, by an earlier step of this order.
  const sameAs = (fleet: FleetRow): FleetRow =>
    isFirst(fleet) && !here.names.has(fleet.name) ? { ...fleet, removed: false } : fleet;
  const give: Order<{ readonly drains?: readonly string[] | undefined }>["give"] = (
    draft,
    name,
    { drains },
    context,
  ) => {
    const said = declared(draft, name, here, drains, context);
    const out = here.out.filter((each) => !said.drains.includes(each));
    return { changes: [...outTexts(out), ...said.changes], drains: [...out, ...said.drains] };
  };
  return {
    declare: order({ ...DECLARE, touches, sameAs, give }),
    remove: order({ ...REMOVE, touches, sameAs, give }),
    takeOut: order({
      ...REMOVE,
      touches,
      give: (draft, name, { drains }, context) => {
        const firsts = firstsLeftOut(draft.fleets, name, here.names);
        refuseUnsaid(firsts, drains);
        for (const each of firsts) removeFleet(draft, each, sourceOfFile(name));
        if (firsts.length > 0) noteFile(draft, name, { texts: outTexts(firsts), drains: firsts }, context);
        return {};
      },
    }),
  };
}

function outTexts(firsts: readonly string[]): readonly string[] {
  return firsts.map((each) => `${each} is left out, and drains`);
}

const isFirst = ({ name, part }: FleetRow): boolean => part?.of === name;

/**
 * First parts of fleets that the file has no more. While one of these is removed nobody launches anything for its whole: they go
 * before the other parts do, whose shares would else be rented elsewhere.
 */
export function firstsLeftOut(
  fleets: ReadonlyMap<string, FleetRow>,
  name: string,
  names: ReadonlySet<string>,
): readonly string[] {
  return hadBy(fleets, name).flatMap((fleet) =>
    isFirst(fleet) && !names.has(fleet.name) ? [fleet.name] : [],
  );
}

export function checkName(name: string): void {
  if (NAME.test(name)) return;
  throw refusal(
    `${name}: expected a file's name of at most 63 letters, digits, dots, underscores and hyphens, a letter or a digit first.`,
  );
}

/** Of one account alone it cannot be said: the other services would rent what is left out here. */
function refuseParts(draft: Draft, name: string): void {
  const part = hadBy(draft.fleets, name).find((fleet) => fleet.part)?.part;
  if (!part) return;
  throw refusal(
    `${name}: this file has declared ${part.of} in several services, and is declared in all of them at once: fleetkeeper declare without ` +
      `--service, or ledger/fleet-files/${name} of the API.`,
  );
}

const isText = (value: unknown): value is string => typeof value === "string";

/** Whose machines it takes over: also those of a fleet that the file has left out, and that still drains. */
function renamedIn(draft: Draft, { previousName }: { readonly previousName?: unknown }): string | undefined {
  const old = isText(previousName) ? draft.fleets.get(previousName) : undefined;
  return old && !isOver(draft, old) ? old.name : undefined;
}

/** The fleets that a file has declared. */
function namesOf(draft: Draft, name: string): readonly string[] {
  return hadBy(draft.fleets, name).map((fleet) => fleet.name);
}

function hadBy(fleets: ReadonlyMap<string, FleetRow>, name: string): readonly FleetRow[] {
  return [...fleets.values()].filter(({ source, removed }) => source === sourceOfFile(name) && !removed);
}

function declared(
  draft: Draft,
  name: string,
  here: Omit<Declared, "source">,
  mayDrain: readonly string[] | undefined,
  context: Context,
): FileSaid {
  const all = { ...here, source: sourceOfFile(name) };
  const { texts, drains } = withinMost(draft, () => declareAll(draft, all, context));
  refuseUnsaid(drains, mayDrain);
  if (texts.length > 0) noteFile(draft, name, { texts, drains }, context);
  return { changes: texts, drains };
}

function refuseUnsaid(drains: readonly string[], mayDrain: readonly string[] | undefined): void {
  const unsaid = drains.filter((each) => mayDrain?.includes(each) === false);
  if (unsaid.length === 0) return;
  throw refusal(
    `${andMore(unsaid, MOST_NOTED)} would drain, too, which "drains" does not name: look at a dry run again. Nothing was done.`,
  );
}

function noteFile(
  draft: Draft,
  name: string,
  { texts, drains }: Pick<DeclaredChanges, "texts" | "drains">,
  context: Context,
): void {
  // What drains stands last in it, and is told first.
  const kind = drains.length > 0 ? "drained" : "declared";
  note(draft, context, kind, `the file ${name} of the API: ${andMore(texts.toReversed(), MOST_NOTED)}`);
}
