import type { Draft } from "../../ledger/draft.ts";
import type { FleetRow } from "../../ledger/rows.ts";
import { FleetkeeperError } from "../../service/contract/errors.ts";
import { type Among, parseFleets } from "../fleet/file/fleet-file.ts";
import { commandsOf, isProgramName } from "../fleet/phase/commands.ts";
import type { Wish } from "../fleet/wish/wish.ts";
import { refusal } from "./refusal.ts";

/** Whose the fleets are that the API declares one by one. A file or a stack that has one of their names is another owner. */
export const API_SOURCE = "api:";

/** Whose those of a file of the API are. */
export function sourceOfFile(name: string): string {
  return `${API_SOURCE}${name}`;
}

/** In one account, by all tokens. Each round reads and plans all fleets of its account. */
const MOST_OF_API = 500;

/**
 * Does what declares something. Throws CONFIG if the API has more fleets in the account then than it may, and more than before:
 * of what is too many already, any may be changed and taken back. What was removed counts no more.
 */
export function withinMost<T>(draft: Draft, declare: () => T): T {
  const before = countOfApi(draft);
  const said = declare();
  const now = countOfApi(draft);
  if (now > MOST_OF_API && now > before)
    throw refusal(
      `the API may declare ${MOST_OF_API} fleets in an account, and there would be ${now}: take back some that are wanted no more ` +
        "(DELETE /fleets/NAME, or declare their file without them), or write these in the agent's own fleet file. Nothing was done.",
    );
  return said;
}

function countOfApi({ fleets }: Draft): number {
  const isOfApi = ({ source, removed }: FleetRow): boolean => !removed && source.startsWith(API_SOURCE);
  return [...fleets.values()].filter(isOfApi).length;
}

/** One fleet, as a fleet file is read. Throws CONFIG, which names the key. */
export function wishOf(name: string, wish: Readonly<Record<string, unknown>>): Wish {
  if ("name" in wish) throw refusal(`${name}: the path says its name: take name out.`);
  if ("previousName" in wish) throw refusal(`${name}: the API renames no fleet: take previousName out.`);
  const [fleet] = readFleets(
    [{ ...wish, name }],
    { source: API_SOURCE, among: new Map() },
    /^request:\d+(?::\d+)? (?:fleets\.0(?:\.|: ))?/gm,
  ).fleets;
  if (!fleet) throw new FleetkeeperError("INTERNAL", "a file with one fleet had none");
  return fleet.wish;
}

/** All fleets of a file of the API, which may name these services. Throws CONFIG, which names each key. */
export function fleetsOf(
  name: string,
  fleets: readonly unknown[],
  among: Among = new Map(),
): ReturnType<typeof parseFleets> {
  return readFleets(fleets, { source: sourceOfFile(name), among }, /^request:\d+(?::\d+)? /gm);
}

/** `where`: what says where in the text something is wrong, as far as nobody wrote that text. */
function readFleets(
  fleets: readonly unknown[],
  { source, among }: { readonly source: string; readonly among: Among },
  where: RegExp,
): ReturnType<typeof parseFleets> {
  try {
    const read = parseFleets(fleets, among, { source, path: FILE });
    for (const { wish } of read.fleets) refuseOnHost(wish);
    return read;
  } catch (error) {
    if (!(error instanceof FleetkeeperError) || error.code !== "CONFIG") throw error;
    throw refusal(error.message.replaceAll(where, "").replaceAll("\n", "; "));
  }
}

/** As of a stack: else machines would be rented that nothing ever sets up, asks or measures. */
function refuseOnHost(wish: Wish): void {
  for (const { key, program } of commandsOf(wish))
    if (!isProgramName(program))
      throw refusal(
        `${key}.command: expected the name of a program in the agent's folder FLEETKEEPER_COMMANDS, such as join.sh, got ${program}`,
      );
  for (const way of ["prometheus", "http"] as const)
    if (wish.metric?.[way]?.secret)
      throw refusal(
        `metric.${way}.secret: expected none: the agent sends its secrets for fleets of a fleet file only`,
      );
}

const FILE = "request";
