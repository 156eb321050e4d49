import { sentence } from "../../../../launch/ends/failure-advice.ts";
import { DAY_MS, HOUR_MS } from "../../../../ledger/instant.ts";
import { ownerParts } from "../../../../ledger/owner.ts";
import { duration, moneyText } from "../../../fleet/text/format.ts";
import { gpusAre, gpusText } from "../../../fleet/text/text.ts";
import type { About } from "../../../orders/order.ts";
import { matchingText } from "../../../status/owner-names.ts";
import { returnedByOwner } from "../../../status/returned-text.ts";
import { NOT_HERE } from "./for-guests.ts";
import { type Content, type Html, html } from "./html.ts";
import { machineLink } from "./links.ts";
import { actLinks } from "./offered.ts";
import type { PageData } from "./page-data.ts";
import { WORDS } from "./whole-shown.ts";

interface Point {
  readonly grade: "bad" | "warn";
  readonly title: Content;
  readonly text: Content;
  /** A command for a person to type. */
  readonly remedy: string | undefined;
  /** The same, as an order on a page. */
  readonly act: readonly [about: About, target: string, name: string] | undefined;
}

const point =
  (grade: Point["grade"]) =>
  (title: Content, text: Content, remedy?: string, act?: Point["act"]): Point => ({
    grade,
    title,
    text,
    remedy,
    act,
  });
const bad = point("bad");
const warn = point("warn");

/** Below this, a short runway is shown as bad. */
const LAST_HOUR_MS = HOUR_MS;

/** So many are shown at most, the most urgent ones. */
const MOST_POINTS = 20;

const MEANWHILE = "Nothing new is launched or stopped meanwhile; what runs goes on.";

/** What a person should know or do, the most urgent first. */
function pointsOf(view: PageData): readonly Point[] {
  return [
    ...unreadable(view),
    ...slowLists(view),
    ...settings(view),
    ...halted(view),
    ...returned(view),
    ...low(view),
    ...leftOver(view),
    ...lacking(view),
    ...updates(view),
    ...spent(view),
    ...badRecords(view),
    ...strangers(view),
    ...notServing(view),
    ...stuck(view),
    ...support(view),
  ].sort((one, other) => Number(one.grade === "warn") - Number(other.grade === "warn"));
}

export function attention(view: PageData): Html {
  const points = pointsOf(view);
  if (points.length === 0) {
    const coming = view.fleets.reduce((sum, { startingGpus }) => sum + startingGpus, 0);
    const calm = coming > 0 ? `${gpusAre(coming)} on the way` : "Nothing needs you";
    return html`<section class="attention calm" aria-labelledby="attention"><h2 id="attention">${calm}</h2></section>`;
  }
  // A text of ours names machines and launches.
  const shown = (content: Content): Content => (typeof content === "string" ? view.words(content) : content);
  const more = points.length - MOST_POINTS;
  return html`<section class="attention" aria-labelledby="attention">
<h2 id="attention">${points.length === 1 ? "One thing needs you" : `${points.length} things need you`}</h2>
<ul>${points.slice(0, MOST_POINTS).map(
    ({ grade, title, text, remedy, act }) =>
      html`<li class="${grade}"><strong>${shown(title)}</strong> <span>${shown(text)}</span>${remedy && html` <code>${remedy}</code>`}${act && actLinks(view, act[0], act[1], { only: [act[2]] })}</li>
`,
  )}${more > 0 && html`<li class="warn"><strong>${more} more.</strong> <span>All of them: <code>fleetkeeper status</code></span></li>`}</ul>
</section>`;
}

function unreadable({ failure, status: { outage }, moments, now, isGuest }: PageData): readonly Point[] {
  if (!failure && !outage) return [];
  if (failure?.ledger)
    return [
      bad("The ledger cannot be written.", `${isGuest ? "" : `${sentence(failure.message)} `}${MEANWHILE}`),
    ];
  const since = outage ? ` since ${moments.dayAndTime(outage.since)} (${duration(now - outage.since)})` : "";
  const isRefused = outage?.kind === "refused";
  const why = isGuest ? "" : `${sentence(failure?.message ?? outage?.reason ?? "")} `;
  const next = isRefused ? " Give the agent a key that the service takes, and start it again." : "";
  return [
    bad(
      `${isRefused ? "The service refuses the key" : "The service cannot be read"}${since}.`,
      `${why}${MEANWHILE}${next}`,
    ),
  ];
}

function slowLists({ status: { slowSince, outage }, failure, moments }: PageData): readonly Point[] {
  if (slowSince === null || outage || failure) return [];
  return [
    warn(
      `Lists take longer than one poll interval since ${moments.dayAndTime(slowSince)}.`,
      "Nothing new is decided before one has ended, and then it is too old for a launch. Poll more rarely, or let the profile ask for larger pages.",
    ),
  ];
}

/** At most one point a fleet: what keeps it from its count. */
function lacking({ fleets, wholes, isGuest }: PageData): readonly Point[] {
  const together = wholes.flatMap(({ name, desiredGpus, runningGpus, startingGpus, services }) => {
    const lacks = desiredGpus - runningGpus - startingGpus;
    if (lacks <= 0) return [];
    const why = services.map((part) => `${part.service}: ${part.why ?? WORDS[part.state]}`).join("; ");
    return warn(
      `${name} lacks ${lacks} of ${gpusText(desiredGpus)} over its services.`,
      isGuest ? NOT_HERE : sentence(why),
    );
  });
  const alone = fleets.flatMap((fleet) => {
    const { name, standing, desiredGpus, wishedGpus, runningGpus, startingGpus, reasons, isPart } = fleet;
    const lacks = desiredGpus - runningGpus - startingGpus;
    if (standing.kind === "drained" && standing.by === "operator" && wishedGpus > 0)
      return warn(
        `${name} was drained by an operator.`,
        `It asks for ${gpusText(wishedGpus)}, and nothing is launched for it before it is resumed.`,
        `fleetkeeper resume ${name}`,
        ["fleet", name, "resume"],
      );
    if (lacks <= 0 || (isPart && standing.kind !== "paused")) return [];
    const missing = `lacks ${lacks} of ${gpusText(desiredGpus)}.`;
    if (standing.kind === "paused")
      return warn(
        `${name} is paused, and ${missing}`,
        `${sentence(standing.why)} Nothing is launched for it.`,
      );
    return warn(
      `${name} ${missing}`,
      reasons[0] === undefined ? "More is about to be launched." : sentence(reasons[0]),
    );
  });
  return [...together, ...alone];
}

function updates({ fleets, isGuest }: PageData): readonly Point[] {
  return fleets.flatMap(({ name, updateHeld }) => {
    if (!updateHeld) return [];
    const why = isGuest ? NOT_HERE : sentence(updateHeld.why);
    return [
      warn(
        `The update of ${name} is paused.`,
        `${why} Nothing more is replaced before another declaration, or:`,
        `fleetkeeper resume ${name}`,
        ["fleet", name, "resume"],
      ),
    ];
  });
}

function settings({ problem, isGuest }: PageData): readonly Point[] {
  return problem === undefined ? [] : [warn("The settings need a look.", isGuest ? NOT_HERE : problem)];
}

function halted({ status, isGuest }: PageData): readonly Point[] {
  return status.halted.map((reason) =>
    bad(
      "Launches are halted.",
      `${isGuest ? "" : `${sentence(reason)} `}Look at the service's dashboard and at the profile first.`,
      "fleetkeeper resume",
      ["account", "", "resume"],
    ),
  );
}

function returned({ status }: PageData): readonly Point[] {
  return returnedByOwner(status.returned).map(({ id, owner, text }) => {
    const parts = owner && ownerParts(owner);
    const fleet = parts && parts.kind === "fleet" ? ` ${parts.name}` : "";
    const act =
      fleet === "" ? (["account", "", "resume"] as const) : (["fleet", fleet.slice(1), "resume"] as const);
    return bad(`${id} ends and comes back.`, sentence(text), `fleetkeeper resume${fleet}`, act);
  });
}

function low({
  money: { balance, runway, perHour, unpriced },
  status: { currency },
  shortRunway,
  floor,
}: PageData): readonly Point[] {
  if (balance === undefined) return [];
  if (runway !== undefined && runway < shortRunway) {
    const [lasts, costs] = unpriced > 0 ? ["at most ", "at least "] : ["", ""];
    return [
      point(runway < LAST_HOUR_MS ? "bad" : "warn")(
        `The balance lasts ${lasts}${duration(runway)} more.`,
        `${moneyText(balance, currency)} are left, and ${costs}${moneyText(perHour, currency)} an hour are spent. Credits can be bought in the service's dashboard only.`,
      ),
    ];
  }
  if (floor === undefined || !balance.lte(floor)) return [];
  const text = `${moneyText(balance, currency)} are left, and a fleet launches nothing below ${moneyText(floor, currency)}.`;
  return [warn("The balance is at its floor.", text)];
}

/** What people fear most: a drained fleet that still costs money. */
function leftOver({ leftOver: rows }: PageData): readonly Point[] {
  return [...Map.groupBy(rows, ({ fleet }) => fleet)].map(([fleet, left]) => {
    const ids = left.slice(0, 5).map(({ id }) => id);
    return bad(
      `${fleet} is drained, and ${left.length === 1 ? "a machine" : `${left.length} machines`} of it cannot be stopped from here.`,
      `${ids.join(", ")}${left.length > 5 ? " and more" : ""}: paid for until stopped in the service's dashboard; see the fleet for why.`,
    );
  });
}

function spent({ fleets }: PageData): readonly Point[] {
  return fleets.flatMap(({ name, standing }) => {
    if (standing.kind !== "drained" || standing.by !== "total") return [];
    const why = standing.why.replace(/^the fleet/, "It");
    const text = `${why}. Raise budget.total to go on, or take the fleet out.`;
    return warn(`${name} is drained: its total is spent.`, text);
  });
}

function badRecords({ status: { badRecords: records }, isGuest }: PageData): readonly Point[] {
  const [first] = records;
  if (!first) return [];
  const { deployment, text } = first;
  return [
    warn(
      `${records.length === 1 ? "A record" : `${records.length} records`} of the service cannot be read.`,
      isGuest ? NOT_HERE : sentence(`${deployment === null ? "" : `${deployment}: `}${text}`),
      records.some((each) => each.deployment === null) ? "fleetkeeper disown unreadable" : undefined,
    ),
  ];
}

function strangers({
  status: { unaccounted, matching, currency },
  strangers: { perHour, unpriced },
}: PageData): readonly Point[] {
  const count = unaccounted.length;
  if (count === 0) return [];
  const cost =
    unpriced > 0
      ? perHour.gt(0)
        ? `At least ${moneyText(perHour, currency)}`
        : "Nobody knows how much"
      : moneyText(perHour, currency);
  if (matching.length > 0)
    return [
      warn(
        `${count > 1 ? `${count} machines run` : "A machine runs"} that nobody here answers for yet.`,
        html`${cost} an hour. ${matchingText(matching)}.`,
      ),
    ];
  return [
    warn(
      `${count > 1 ? `${count} machines run` : "A machine runs"} that nobody here answers for.`,
      html`${cost} an hour. Say whose ${count > 1 ? "each" : "it"} is: <a href="#unaccounted">see below</a>.`,
    ),
  ];
}

function notServing({ status, isGuest }: PageData): readonly Point[] {
  return status.notServing.map(({ id, text }) =>
    warn(`${id} is paid for and does not serve.`, isGuest ? NOT_HERE : sentence(text)),
  );
}

function stuck({ status, isGuest }: PageData): readonly Point[] {
  return status.notStopping.map(({ id, text }) =>
    warn(`${id} does not stop.`, isGuest ? NOT_HERE : sentence(text)),
  );
}

function support({ losses, now }: PageData): readonly Point[] {
  const asking = losses.filter(
    ({ row, request }) => request !== undefined && row.seen !== true && now - (row.ended?.wall ?? 0) < DAY_MS,
  );
  const ids = asking.map(({ row }) => row.id);
  if (ids.length === 0) return [];
  const [which, them, named] =
    ids.length === 1
      ? ["A failed launch is", "it", ` ${ids[0]}`]
      : [`${ids.length} failed launches are`, "them", ""];
  return [
    warn(
      `${which} for the service's support.`,
      html`Deployment ${ids.slice(0, 5).map((id, index) => [index > 0 && ", ", machineLink(id)])}: <a href="#losses">reason and suggested action</a>. To put ${them} away:`,
      `fleetkeeper seen${named}`,
      ids.length === 1 && ids[0] !== undefined ? ["deployment", ids[0], "seen"] : ["account", "", "seen"],
    ),
  ];
}
