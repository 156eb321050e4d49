import { DAY_MS, HOUR_MS } from "../../../ledger/instant.ts";
import { createMemory } from "../../../service/same/memory.ts";
import { wallAt, wallText } from "../clock/wall-time.ts";
import { edgesBetween, isOpen, WHOLE_WEEK_MS } from "../clock/windows.ts";
import { gpusText } from "../text/text.ts";
import { askedAt, type Schedule } from "../wish/schedule.ts";

/** What clocks do is told so long before. */
const AHEAD_MS = 2 * DAY_MS;

const texts = createMemory<Schedule, readonly string[]>();

/** What a schedule asks for now and next, what the clocks do to it within two days, and which of its windows never count. */
export function scheduleTexts(schedule: Schedule, now: number): readonly string[] {
  const asked = askedAt(schedule, now);
  const hour = Math.floor(now / HOUR_MS);
  return texts.of(schedule, [hour, asked.gpus, asked.next?.at], () => [
    askedText(schedule, now),
    ...clockTexts(schedule, now),
    ...vainEntries(schedule, now).map(({ index, why }) => `window ${index + 1} of the schedule ${why}`),
  ]);
}

function askedText(schedule: Schedule, now: number): string {
  const { gpus, next } = askedAt(schedule, now);
  const { timeZone } = schedule;
  return next
    ? `the schedule asks for ${gpusText(gpus)} now, and for ${next.gpus} from ${wallText(wallAt(timeZone, next.at))} on (${timeZone})`
    : `the schedule asks for ${gpusText(gpus)} now, and for no other number from now on`;
}

function clockTexts(schedule: Schedule, now: number): readonly string[] {
  const { timeZone } = schedule;
  return edgesBetween(schedule, now, now + AHEAD_MS)
    .filter(({ comes, at }) => comes !== "once" && at > now && at <= now + AHEAD_MS)
    .map(({ index, end, wall, at, comes }) => {
      const [day, time] = [wallText(wall).slice(0, 10), wallText(wall).slice(11)];
      const does = `window ${index + 1} of the schedule ${end === "from" ? "begins" : "ends"} on ${day}`;
      return comes === "twice"
        ? `${does} at the first ${time}, which comes twice on that day (${timeZone})`
        : `${does} at ${wallText(wallAt(timeZone, at)).slice(11)}, since ${time} does not exist on that day (${timeZone})`;
    });
}

/** Windows that are over, that the clocks leave out, or beside which others always ask for more. */
function vainEntries(
  schedule: Schedule,
  now: number,
): readonly { readonly index: number; readonly why: string }[] {
  const { timeZone, entries } = schedule;
  return entries.flatMap((entry, index) => {
    if (entry.cron !== undefined) return [];
    const own = edgesBetween({ ...schedule, entries: [entry] }, now, now + WHOLE_WEEK_MS);
    const isDate = own.some((edge) => edge.isDate);
    const [begins, ends] = [own.find(({ end }) => end === "from"), own.find(({ end }) => end === "to")];
    if (isDate && begins && ends) {
      if (ends.at <= begins.at)
        return [{ index, why: "never comes: the clocks are set over all of it. Take it out" }];
      if (ends.at <= now) return [{ index, why: `is over since ${entry.to}: take it out` }];
    }
    // What a date asks for passes: the windows of each week are held to one another.
    const others = isDate ? entries : entries.filter((each) => !/^\d{4}-/.test(each.from ?? ""));
    const from = isDate ? Math.max(now, begins?.at ?? now) : now;
    const edges = edgesBetween({ ...schedule, entries: others }, from, from + WHOLE_WEEK_MS).map(
      ({ at }) => at,
    );
    const counts = [from, ...edges.filter((at) => at > from)].some(
      (at) =>
        isOpen(entry, timeZone, at) &&
        others.every((other) => other.gpus <= entry.gpus || !isOpen(other, timeZone, at)),
    );
    return counts
      ? []
      : [{ index, why: `never counts: another one always asks for more than ${entry.gpus}` }];
  });
}
