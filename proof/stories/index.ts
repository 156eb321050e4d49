import type { Scenario } from "../scenario/scenario.ts";
import { DEPLOYMENTS } from "./deployments.ts";
import { ENDS } from "./ends.ts";
import { HOSTS } from "./hosts.ts";
import { LAUNCHES } from "./launches.ts";
import { LISTS } from "./lists.ts";
import { MACHINES } from "./machines.ts";
import { MONEY } from "./money.ts";
import { MOVES } from "./moves.ts";
import { SERVICES } from "./services.ts";
import { SIZE } from "./size.ts";
import { UPDATES } from "./updates.ts";
import { WHOSE } from "./whose.ts";

const STORIES: readonly Scenario[] = [
  ...LAUNCHES,
  ...HOSTS,
  ...ENDS,
  ...LISTS,
  ...WHOSE,
  ...DEPLOYMENTS,
  ...MONEY,
  ...MACHINES,
  ...SIZE,
  ...SERVICES,
  ...UPDATES,
  ...MOVES,
];

/** The scenarios of this name: several if the story depends on the moment. */
export function directed(name: string): readonly Scenario[] {
  const found = STORIES.filter((each) => each.name === name);
  if (found.length === 0) throw new Error(`there is no directed scenario ${name}`);
  return found;
}

export const DIRECTED_NAMES: readonly string[] = [...new Set(STORIES.map(({ name }) => name))];
