import { parsePointer } from "../../service/text/pointer.ts";
import { callsIn, documentedBody, type ProposalInput } from "./proposal-input.ts";
import { PLACES, placesByName } from "./shape/field-guesses.ts";
import type { KnownPlaces } from "./shape/fields.ts";
import { plainNames, wordsIn, wordsOf } from "./shape/leaves.ts";

type Called = NonNullable<KnownPlaces["called"]>;

/*
 * One thing has one name in most services: what a launch calls `region` is `region` in an offer and in a machine, and what
 * `/sizes` lists is called `size` where one is chosen.
 */

/** What the documented launch sends: an offer may call it so, too. */
export function sentInLaunch(view: ProposalInput): ReadonlySet<string> {
  return namesOf(documentedBody(view)?.leaves.map(({ names }) => names) ?? []);
}

/** Which field of the documented launch is the offer, the provider and the location. */
export function placesInLaunch(
  view: ProposalInput,
  pointers: Readonly<Record<string, string>>,
): ReadonlyMap<string, string> {
  const at = (field: string): readonly (readonly string[])[] =>
    pointers[field] === undefined ? [] : [wordsOf(parsePointer(pointers[field])).names];
  const called = {
    offer: namesOf([...listed(view), ...at("id")]),
    provider: namesOf(at("provider")),
    location: namesOf(at("location")),
  };
  return placesByName(documentedBody(view)?.leaves ?? [], PLACES, called);
}

/** How a machine may call what the launch has. */
export function calledInMachine(view: ProposalInput, places: ReadonlyMap<string, string>): Called {
  const leaves = documentedBody(view)?.leaves ?? [];
  return Object.fromEntries(
    PLACES.map((place) => {
      const sent = leaves.filter(({ pointer }) => places.get(pointer) === place).map(({ names }) => names);
      return [place, namesOf(sent)];
    }),
  );
}

/** What the call for the offers lists. */
function listed(view: ProposalInput): readonly (readonly string[])[] {
  const path = callsIn(view)?.offers?.operation.path.replace(/\/$/, "");
  return path === undefined ? [] : [wordsIn(path.split("/").at(-1) ?? "")];
}

function namesOf(all: readonly (readonly string[])[]): ReadonlySet<string> {
  return new Set(all.flatMap(plainNames));
}
