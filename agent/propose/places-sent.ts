import type { ProposalInput } from "./proposal-input.ts";
import { sentLaunch } from "./sent-launch.ts";
import { type PlaceName, placesByName } from "./shape/field-guesses.ts";
import type { KnownPlaces } from "./shape/fields.ts";
import { isGpuModel } from "./shape/guess.ts";
import { type Leaf, leavesOf, NOTHING, SHOWN } from "./shape/leaves.ts";

/** Values of offers that a launch has sent. */
export interface SentPlaces extends KnownPlaces {
  /** The file of the launch. */
  readonly file: string;
  /** Which of two is the provider and which the location, no name says. */
  readonly isOrderGuessed: boolean;
}

/**
 * What a launch has in common with a saved offer is the offer's id, its provider and its location, whatever the
 * service calls them: a launch is made from these three (section 1 of the specification). Which is which the launch
 * itself may say, by the name under which it sends a value. Else the one that differs from offer to offer is the id.
 * Undefined if no launch was saved, or if it has less than two texts of an offer.
 */
export function placesSent(view: ProposalInput): SentPlaces | undefined {
  const sent = sentLaunch(view);
  const { all, isSchema } = view.offers;
  if (sent === undefined || isSchema) return undefined;
  const asked = leavesOf([sent.body], NOTHING).filter(({ values: [value] }) => isText(value));
  const texts = new Set(asked.flatMap(({ values }) => values));
  const common = all
    .map((offer) =>
      leavesOf([offer], NOTHING).filter(({ values: [value] }) => isText(value) && texts.has(value)),
    )
    .reduce((best, each) => (each.length > best.length ? each : best), []);
  if (common.length < 2) return undefined;
  const everywhere = leavesOf(all, NOTHING).filter(({ pointer }) =>
    common.some((one) => one.pointer === pointer),
  );
  const called = calledInLaunch(common, asked);
  const own = placesByName(alone(everywhere), ["provider", "location"]);
  const at = (place: PlaceName, leaves = everywhere): Leaf | undefined =>
    leaves.find(({ pointer }) => called.get(pointer) === place) ??
    leaves.find(({ pointer }) => !called.has(pointer) && own.get(pointer) === place);
  const named = { provider: at("provider"), location: at("location") };
  const others = everywhere.filter((leaf) => leaf !== named.provider && leaf !== named.location);
  const unlike = others.filter(({ values }) => new Set(values).size === all.length);
  const id = at("offer", unlike) ?? (all.length > 1 ? unlike[0] : undefined) ?? at("offer", others);
  if (id === undefined) return undefined;
  // A launch may name the model of its GPUs, too.
  const left = others.filter((leaf) => leaf !== id && !leaf.values.every(isGpuModel));
  const provider = named.provider ?? left.shift();
  const location = named.location ?? left.shift();
  return {
    offers: valuesOf(id),
    providers: valuesOf(provider),
    locations: valuesOf(location),
    file: sent.asked.file,
    isOrderGuessed: (named.provider ?? named.location) === undefined && location !== undefined,
  };
}

/**
 * What machines have where one of them shows what a launch sends as this place by its name: for a service whose offers
 * were not saved. Empty if that stands in no place of a machine, or in two.
 */
export function placeInMachines(place: PlaceName, view: ProposalInput): ReadonlySet<string> {
  const { all, isSchema } = view.deployments;
  const sent = sentLaunch(view);
  if (sent === undefined || isSchema) return new Set();
  const asked = leavesOf([sent.body], NOTHING).filter(({ values: [value] }) => isText(value));
  const named = placesByName(alone(asked));
  const [value] = asked.find(({ pointer }) => named.get(pointer) === place)?.values ?? [];
  const isTwice = asked.filter(({ values }) => values[0] === value).length > 1;
  const having = leavesOf(all, SHOWN).filter(({ values }) => value !== undefined && values.includes(value));
  return valuesOf(isTwice || having.length > 1 ? undefined : having[0]);
}

/** The places of an offer by the names under which a launch sends what stands there. What stands in two says nothing. */
function calledInLaunch(common: readonly Leaf[], asked: readonly Leaf[]): ReadonlyMap<string, PlaceName> {
  const having = (leaves: readonly Leaf[], { values: [value] }: Leaf): readonly Leaf[] =>
    leaves.filter(({ values }) => values[0] === value);
  const sure = asked.filter((leaf) => having(common, leaf).length === 1 && having(asked, leaf).length === 1);
  const named = placesByName(alone(sure));
  return new Map(
    sure.flatMap((leaf) => {
      const place = named.get(leaf.pointer);
      return place === undefined ? [] : having(common, leaf).map(({ pointer }) => [pointer, place] as const);
    }),
  );
}

/** The name of an array says nothing of which of its members is what. */
function alone(leaves: readonly Leaf[]): readonly Leaf[] {
  const array = ({ pointer }: Leaf): string | undefined => /^(.*)\/\d+$/.exec(pointer)?.[1];
  return leaves.filter(
    (leaf) =>
      array(leaf) === undefined || !leaves.some((other) => other !== leaf && array(other) === array(leaf)),
  );
}

function valuesOf(leaf: Leaf | undefined): ReadonlySet<string> {
  return new Set(leaf?.values.map(String));
}

/** Numbers, such as that of the GPUs, are the same in a launch and an offer by chance. */
function isText(value: unknown): value is string {
  return typeof value === "string";
}
