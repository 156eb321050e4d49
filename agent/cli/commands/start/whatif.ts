import { accessSync, constants, realpathSync, writeFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { configuredLedger } from "../../../../account/configuration.ts";
import { locationOf, withSnapshot } from "../../../../account/open-ledger.ts";
import type { Context } from "../../../../launch/facts/context.ts";
import type { Billing } from "../../../../service/contract/billing.ts";
import { whyUnreadable } from "../../../../service/process/unreadable.ts";
import { abilitiesOf } from "../../../../service/profile/abilities.ts";
import { loadProfile } from "../../../../service/profile/profile-file.ts";
import type { FleetFile } from "../../../fleet/file/fleet-file.ts";
import { atItsLargest } from "../../../fleet/size/asked-size.ts";
import { cleanFor, jsonText } from "../../../fleet/text/text.ts";
import type { PlayedFile, WhatIf } from "../../../json/whatif.ts";
import { type Market, marketOfFile, marketOfLedger } from "../../../whatif/market.ts";
import { type Game, outcomeOf, playOnce } from "../../../whatif/outcome.ts";
import { comparison, whatifText } from "../../../whatif/outcome-text.ts";
import { overTime } from "../../../whatif/over-time.ts";
import { picture } from "../../../whatif/picture.ts";
import { playable } from "../../../whatif/playable.ts";
import { terminalChart } from "../../../whatif/terminal-chart.ts";
import { upgradeOf } from "../../../whatif/upgrade.ts";
import { type CliContext, mistake } from "../shared/cli-context.ts";
import { ledgerFlag, readFleetFile } from "../shared/flags.ts";
import { contextHere } from "../shared/ledger.ts";
import { type PlayFlags, playedByOther } from "./whatif-upgrade.ts";

export interface WhatIfFlags extends PlayFlags {
  readonly with?: string;
  readonly json?: boolean;
  readonly svg?: string;
  /** A moment of ISO 8601. */
  readonly at?: string;
  /** The program of another version. */
  readonly upgrade?: string;
}

/** `fleetkeeper whatif`: the agent in virtual time, on a market that was. Nothing is launched, sent or written to the ledger. */
export async function whatifCommand(file: string, flags: WhatIfFlags, cli: CliContext): Promise<number> {
  const names = [file, ...(flags.with ? [flags.with] : [])];
  const files: FleetFile[] = [];
  for (const name of names) files.push(await readPlayed(name, flags));
  if (flags.with && realpathSync(flags.with) === realpathSync(file))
    throw mistake(`--with ${flags.with}: this is the same file. Name another one to compare it with.`);
  if (flags.svg !== undefined) checkFolder(flags.svg);
  // One moment: a deadline of the second file comes as far away as the same one of the first.
  const now = flags.at === undefined ? Date.now() : Date.parse(flags.at);
  const market = flags.market
    ? marketOfFile(flags.market, flags.days, billingOf(files[0] as FleetFile), now)
    : await fromHistory(flags, files[0] as FleetFile, Math.max(...files.map(mostGpus)), now, cli);
  const { upgrade: program } = flags;
  const other = program === undefined ? undefined : await playedByOther(program, file, flags, now, cli);
  const all: Plays[] = [];
  for (const [index, each] of files.entries())
    all.push(await playsOf(names[index] ?? "", each, market, market.start - now, flags, cli));
  if (!flags.json) cli.screen?.write("\r\u001b[K");
  const [first, second = other?.files[0]] = all.map(({ outcome }) => outcome);
  const upgrade = first && second && program ? upgradeOf(program, first, second, market.start) : null;
  const said: WhatIf = {
    market: {
      ...{ name: market.name, from: new Date(market.start).toISOString(), days: market.days },
      ...{ daysAsked: flags.days, offers: market.offers, currency: market.currency },
    },
    seeds: flags.seeds,
    files: all.map(({ outcome }) => outcome),
    compared:
      first && second && !upgrade?.alike
        ? comparison(program ?? second.file, first, second, market.currency)
        : null,
    upgrade,
    notKnown: market.notKnown,
  };
  const shown = all.map(({ outcome: { file: name }, first: game }) => ({ name, shown: overTime(game) }));
  if (flags.svg !== undefined) writeFileSync(flags.svg, picture(shown, market.currency));
  if (flags.json) cli.print(jsonText(said));
  else {
    const charts = shown.map(({ shown: each }) => terminalChart(each, market.currency));
    cli.print(whatifText(said, charts, cleanFor(cli)));
  }
  return upgrade && !upgrade.alike ? 1 : 0;
}

interface Plays {
  readonly outcome: PlayedFile;
  /** The one that is shown over time. */
  readonly first: Game;
}

/** Plays a file once for each seed. `shift`: what is added to each moment that it names, in ms. */
async function playsOf(
  name: string,
  { source, fleets, budgets }: FleetFile,
  market: Market,
  shift: number,
  { seeds, json }: WhatIfFlags,
  cli: CliContext,
): Promise<Plays> {
  const { start, days, billing } = market;
  const { fleets: own, notPlayed } = playable(fleets, budgets, shift);
  const games: Game[] = [];
  for (let seed = 1; seed <= seeds; seed++) {
    const onHour = (hour: number): void => {
      cli.signal.throwIfAborted();
      const far = `play ${seed} of ${seeds}, day ${Math.floor(hour / 24)} of ${Math.ceil(days)}`;
      if (!json) cli.screen?.write(`\r${name}: ${far}\u001b[K`);
    };
    games.push(
      await playOnce({ source, fleets: own, budgets }, market.tapeOf(seed), seed, { start, billing, onHour }),
    );
  }
  return { outcome: outcomeOf(name, games, notPlayed), first: games[0] as Game };
}

/** A fleet file, of one service, with at least a fleet. */
async function readPlayed(config: string, { service }: WhatIfFlags): Promise<FleetFile> {
  const file = (await readFleetFile({ config, ...(service !== undefined && { service }) })) as FleetFile;
  if (file.services.length > 0 && !file.service) {
    const names = file.services.map(({ name }) => name).join(", ");
    throw mistake(
      `${config}: it has several services, and one market is played: say which with --service NAME (${names}).`,
    );
  }
  const part = file.fleets.find((fleet) => fleet.part);
  if (part)
    throw mistake(
      `${config}: ${part.part?.of}: several services keep this fleet, and whatif plays one market. Take it out, in a copy of the file.`,
    );
  if (file.fleets.length === 0) throw mistake(`${config}: it has no fleets, so there is nothing to play.`);
  return file;
}

/** A market file does not say how its service bills, and the profile of who plays it may. Throws CONFIG where that is none. */
function billingOf({ configuration, service }: FleetFile): Billing | undefined {
  const profile = service?.profile ?? configuration.profile;
  return profile === undefined ? undefined : abilitiesOf(loadProfile(profile).profile).billing;
}

async function fromHistory(
  flags: WhatIfFlags,
  { configuration, service }: FleetFile,
  mostGpus: number,
  now: number,
  cli: CliContext,
): Promise<Market> {
  const wanted = { days: flags.days, baseUrl: service?.baseUrl ?? configuration.baseUrl, mostGpus };
  const given = ledgerFlag({ ...(flags.history !== undefined && { ledger: flags.history }) }, "--history");
  const place = configuredLedger({ ledger: given }, cli.environment, configuration);
  const found = await withSnapshot(place, Date.now(), (ledger) =>
    marketOfLedger(ledger, locationOf(place), wanted, at(now, contextHere(cli, ledger))),
  );
  if (found) return found;
  throw mistake(
    `${locationOf(place)}: there is no ledger here, so no market to play on. Name one with --history, or a market file with --market.`,
  );
}

function at(wall: number, context: Context): Context {
  return { ...context, now: { ...context.now, wall } };
}

/** The most that its fleets may have at one time. No metric is read in a play. */
function mostGpus({ fleets }: FleetFile): number {
  return fleets.reduce((sum, { wish }) => {
    const { gpus } = atItsLargest({ ...wish, metric: undefined });
    return sum + gpus + (wish.buffer?.gpus ?? 0) + wish.overshoot + wish.surge;
  }, 0);
}

/** Nobody waits for a play whose picture cannot be written. */
function checkFolder(svg: string): void {
  const folder = dirname(resolve(svg));
  try {
    accessSync(folder, constants.W_OK);
  } catch (error) {
    throw mistake(`--svg ${svg}: nothing can be written to ${folder}: ${whyUnreadable(error)}.`, {
      cause: error,
    });
  }
}
