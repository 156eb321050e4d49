import type { ProposalInput } from "./proposal-input.ts";
import { sentLaunch } from "./sent-launch.ts";
import { placesByName } from "./shape/field-guesses.ts";
import type { KnownPlaces } from "./shape/fields.ts";
import { isGpuModel } from "./shape/guess.ts";
import { type Leaf, leavesOf, NOTHING } from "./shape/leaves.ts";

/** Values of offers that a launch has sent. */
export interface SentPlaces extends KnownPlaces {
  /** The file of the launch. */
  readonly file: string;
  /** Which of two is the provider and which the location, no name says. */
  readonly isOrderGuessed: boolean;
}

/**
 * What a launch has in common with a saved offer is the offer's id, its provider and its location, whatever the
 * service calls them: a launch is made from these three (section 1 of the specification). The one that differs from
 * offer to offer is the id. Undefined if no launch was saved, or if it has less than two texts of an offer.
 */
export function placesSent(view: ProposalInput): SentPlaces | undefined {
  const sent = sentLaunch(view);
  const { all, isSchema } = view.offers;
  if (sent === undefined || isSchema || all.length < 2) return undefined;
  const texts = new Set(leavesOf([sent.body], NOTHING).flatMap(({ values }) => values.filter(isText)));
  const common = all
    .map((offer) =>
      leavesOf([offer], NOTHING).filter(({ values: [value] }) => isText(value) && texts.has(value)),
    )
    .reduce((best, each) => (each.length > best.length ? each : best), []);
  const everywhere = leavesOf(all, NOTHING).filter(({ pointer }) =>
    common.some((one) => one.pointer === pointer),
  );
  const id = everywhere.find(({ values }) => new Set(values).size === all.length);
  if (id === undefined || common.length < 2) return undefined;
  const rest = everywhere.filter((leaf) => leaf !== id);
  const { provider, location, isOrderGuessed } = namedOrNext(rest);
  return {
    offers: valuesOf(id),
    providers: valuesOf(provider),
    locations: valuesOf(location),
    file: sent.asked.file,
    isOrderGuessed,
  };
}

/** By their names. Where these say nothing: in the order in which the specification names them. */
function namedOrNext(rest: readonly Leaf[]) {
  const named = placesByName(rest, ["provider", "location"]);
  const at = (field: string): Leaf | undefined => rest.find(({ pointer }) => named.get(pointer) === field);
  const nameless = rest.filter((leaf) => leaf !== at("provider") && leaf !== at("location"));
  // A launch may name the model of its GPUs, too.
  const left = nameless.filter(({ values }) => !values.every(isGpuModel));
  const provider = at("provider") ?? left.shift();
  const location = at("location") ?? left.shift();
  return { provider, location, isOrderGuessed: named.size === 0 && location !== undefined };
}

function valuesOf(leaf: Leaf | undefined): ReadonlySet<string> {
  return new Set(leaf?.values.map(String));
}

/** Numbers, such as that of the GPUs, are the same in a launch and an offer by chance. */
function isText(value: unknown): value is string {
  return typeof value === "string";
}
