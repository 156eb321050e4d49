import { z } from "zod";
import type { Context } from "../../launch/facts/context.ts";
import { note } from "../../launch/facts/events.ts";
import type { Draft } from "../../ledger/draft.ts";
import { declareAll } from "../fleet/declare/declare-all.ts";
import { type FleetDeclaration, isOver } from "../fleet/declare/fleets.ts";
import { andMore } from "../fleet/text/text.ts";
import type { FileSaid } from "../json/answers.ts";
import { fleetsOf, sourceOfFile } from "./api-declaration.ts";
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

/** What may be ordered about a fleet file that the API has, under a name. */
export const FILE_ORDERS: readonly Order[] = [
  order({
    name: "declare",
    about: "file",
    needs: "declare",
    says:
      "Declares all fleets of a file, as the agent's own fleet file does: a fleet that it had before and has no more drains. " +
      "It has fleets alone; limits, policies and settings are of the agent's own.",
    input: z.strictObject({ fleets: z.array(z.looseObject({})).max(MOST_FLEETS), drains: drainsSchema }),
    method: "PUT",
    touches: (draft, name, { fleets }) => [
      ...namesOf(draft, name),
      ...fleets.flatMap((fleet) => [fleet.name, renamedIn(draft, fleet)].filter((each) => isText(each))),
    ],
    give: (draft, name, { fleets, drains }, context) => {
      if (!NAME.test(name))
        throw refusal(
          `${name}: expected a file's name of at most 63 letters, digits, dots, underscores and hyphens, a letter or a digit first.`,
        );
      return declared(draft, name, fleetsOf(name, fleets), drains, context);
    },
  }),
  order({
    name: "remove",
    about: "file",
    needs: "declare",
    says: "Takes back all that a file declared: its fleets drain, and all that they have is stopped.",
    input: z.strictObject({ drains: drainsSchema }),
    method: "DELETE",
    goesOn: true,
    touches: namesOf,
    give: (draft, name, { drains }, context) => {
      if (namesOf(draft, name).length === 0)
        throw refusal(`${name}: no file of this name has declared a fleet in this account.`);
      return declared(draft, name, [], drains, context);
    },
  }),
];

const isText = (value: unknown): value is string => typeof value === "string";

/** Whose machines it takes over: also those of a fleet that the file has left out, and that still drains. */
function renamedIn(draft: Draft, { previousName }: Readonly<Record<string, unknown>>): string | undefined {
  const old = isText(previousName) ? draft.fleets.get(previousName) : undefined;
  return old && !isOver(draft, old) ? old.name : undefined;
}

/** The fleets that a file has declared. */
function namesOf(draft: Draft, name: string): readonly string[] {
  const all = [...draft.fleets.values()];
  return all.flatMap((fleet) => (fleet.source === sourceOfFile(name) && !fleet.removed ? [fleet.name] : []));
}

function declared(
  draft: Draft,
  name: string,
  fleets: readonly FleetDeclaration[],
  mayDrain: readonly string[] | undefined,
  context: Context,
): FileSaid {
  const { texts, drains } = declareAll(draft, { source: sourceOfFile(name), fleets }, context);
  const unsaid = drains.filter((each) => mayDrain?.includes(each) === false);
  if (unsaid.length > 0)
    throw refusal(
      `${andMore(unsaid, MOST_NOTED)} would drain, too, which "drains" does not name: look at a dry run again. Nothing was done.`,
    );
  if (texts.length > 0) {
    // What drains stands last in it, and is told first.
    const kind = drains.length > 0 ? "drained" : "declared";
    note(draft, context, kind, `the file ${name} of the API: ${andMore(texts.toReversed(), MOST_NOTED)}`);
  }
  return { changes: texts, drains };
}
