import { amountText, usdText } from "../../service/contract/money.ts";
import { duration } from "../fleet/text/format.ts";
import { type Clean, columns, gpusText, type Paint } from "../fleet/text/text.ts";
import type { WholePart, WholeStatus } from "../json/whole.ts";

/** A fleet that several services keep, for people: its sums, and a line for each service with `more` of it below. */
export function wholeText(
  whole: WholeStatus,
  paint: Paint,
  clean: Clean,
  more: (part: WholePart) => readonly string[] = () => [],
): string {
  const { name, desiredGpus, runningGpus, startingGpus, readyGpus, services, met } = whole;
  const ready = readyGpus === null ? "" : ` (${readyGpus} ready)`;
  const isWell = met && services.every(({ state }) => state === "complete");
  const lines = columns(services.map((part) => [clean(part.service, 80), lineOf(part, clean)])).split("\n");
  return [
    paint(
      isWell ? "green" : "yellow",
      `fleet ${clean(name)} over ${services.length === 1 ? "1 service" : `${services.length} services`}: ${runningGpus} of ${gpusText(desiredGpus)} running${ready}, ` +
        `${startingGpus} starting, ${costText(whole)}`,
    ),
    ...spentLine(whole),
    ...(whole.movingGpus > 0
      ? [`  ${gpusText(whole.movingGpus)} of its count on the way from one service to another`]
      : []),
    ...runwayLine(whole),
    ...services.flatMap((part, index) => [`  ${lines[index]}`, ...more(part).map((line) => `  ${line}`)]),
  ].join("\n");
}

function costText({ pricePerHour, currency, limits }: WholeStatus): string {
  if (currency === null) return "in several currencies, so nothing is launched";
  const most = limits.perHour === null ? "" : ` of ${usdText(limits.perHour)}`;
  return pricePerHour === null ? "price not known" : `${amountText(pricePerHour, currency)} an hour${most}`;
}

function spentLine({ spent, currency, limits }: WholeStatus): readonly string[] {
  if (!spent || currency === null || Number(spent.ever) === 0) return [];
  const of = (limit: string | null): string => (limit === null ? "" : ` of ${usdText(limit)}`);
  const least = spent.unpriced > 0 ? ", at least" : "";
  return [
    `  about ${amountText(spent.today, currency)}${of(limits.perDay)} today and ${usdText(spent.ever)}${of(limits.total)} in all${least}: an estimate`,
  ];
}

function runwayLine(whole: WholeStatus): readonly string[] {
  const text = runwayText(whole);
  return text === undefined ? [] : [`  ${text}`];
}

/** `goes on for 3 h more: then the balance of south ends`. */
export function runwayText({ runway }: Pick<WholeStatus, "runway">): string | undefined {
  if (!runway) return undefined;
  const { seconds, ends, service } = runway;
  const what = {
    total: "its total is spent",
    until: "its deadline comes",
    balance: `the balance at ${service} is spent`,
  };
  return `goes on for ${duration(seconds * 1000)} more at this cost: then ${what[ends]}`;
}

function lineOf(part: WholePart, clean: Clean): string {
  const { runningGpus, startingGpus, stoppingGpus, readyGpus, unknownLaunches, pricePerHour, currency } =
    part;
  const has = [
    runningGpus > 0
      ? `${gpusText(runningGpus)} running${readyGpus === null ? "" : ` (${readyGpus} ready)`}`
      : "",
    startingGpus > 0 ? `${startingGpus} starting` : "",
    stoppingGpus > 0 ? `${stoppingGpus} stopping` : "",
    unknownLaunches > 0 ? `${unknownLaunches} of unknown outcome` : "",
    pricePerHour === null
      ? "price not known"
      : Number(pricePerHour) > 0
        ? `${amountText(pricePerHour, currency)} an hour`
        : "",
  ].filter((each) => each !== "");
  return `${has.length === 0 ? "nothing" : has.join(", ")}${standText(part, clean)}`;
}

/** Why it gives what it gives. */
function standText({ portion, runningGpus, startingGpus, state, why }: WholePart, clean: Clean): string {
  const more = portion - runningGpus - startingGpus;
  const reason = why === null ? "" : `: ${clean(why, 500)}`;
  if (state === "complete") return "";
  if (state === "launches") return `; launches ${more > 0 ? gpusText(more) : "what is missing"}${reason}`;
  return state === "unknown" || state === "dearer" || state === "held"
    ? `; gives no more${reason}`
    : `; ${state}${reason}`;
}
