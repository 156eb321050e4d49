import { sentence } from "../../../launch/failure-advice.ts";
import { DAY_MS, HOUR_MS } from "../../../ledger/instant.ts";
import { ownerParts } from "../../../ledger/owner.ts";
import { duration, usd } from "../../fleet/format.ts";
import { gpusAre, gpusText } from "../../fleet/text.ts";
import { returnedByOwner } from "../../status/returned-text.ts";
import type { Content, Html } from "./html.ts";
import { html } from "./html.ts";
import type { View } from "./view.ts";

interface Point {
  readonly grade: "bad" | "warn";
  readonly title: Content;
  readonly text: Content;
  /** A command for a person to type. */
  readonly remedy?: string;
}

/** Below this, a short runway is shown as bad. */
const LAST_HOUR_MS = HOUR_MS;

const MEANWHILE = "Nothing new is launched or stopped meanwhile; what runs goes on.";

/** What a person should know or do, the most urgent first. */
function pointsOf(view: View): readonly Point[] {
  return [
    ...unreadable(view),
    ...slowLists(view),
    ...settings(view),
    ...halted(view),
    ...returned(view),
    ...low(view),
    ...leftOver(view),
    ...lacking(view),
    ...spent(view),
    ...badRecords(view),
    ...strangers(view),
    ...stuck(view),
    ...support(view),
  ].sort((one, other) => Number(one.grade === "warn") - Number(other.grade === "warn"));
}

export function attention(view: View): Html {
  const points = pointsOf(view);
  if (points.length === 0) {
    const coming = view.fleets.reduce((sum, { startingGpus }) => sum + startingGpus, 0);
    const calm = coming > 0 ? `${gpusAre(coming)} on the way` : "Nothing needs you";
    return html`<section class="attention calm" aria-labelledby="attention"><h2 id="attention">${calm}</h2></section>`;
  }
  return html`<section class="attention" aria-labelledby="attention">
<h2 id="attention">${points.length === 1 ? "One thing needs you" : `${points.length} things need you`}</h2>
<ul>${points.map(
    ({ grade, title, text, remedy }) =>
      html`<li class="${grade}"><strong>${title}</strong> <span>${text}</span>${remedy && html` <code>${remedy}</code>`}</li>
`,
  )}</ul>
</section>`;
}

function unreadable({ failure, status: { outage }, moments, now }: View): readonly Point[] {
  if (!failure && !outage) return [];
  if (failure?.ledger)
    return [
      {
        grade: "bad",
        title: "The ledger cannot be written.",
        text: `${sentence(failure.message)} ${MEANWHILE}`,
      },
    ];
  const since = outage ? ` since ${moments.dayAndTime(outage.since)} (${duration(now - outage.since)})` : "";
  const isRefused = outage?.kind === "refused";
  const next = isRefused ? " Give the agent a key that the service takes, and start it again." : "";
  return [
    {
      grade: "bad",
      title: `${isRefused ? "The service refuses the key" : "The service cannot be read"}${since}.`,
      text: `${sentence(failure?.message ?? outage?.reason ?? "")} ${MEANWHILE}${next}`,
    },
  ];
}

function slowLists({ status: { slowSince, outage }, failure, moments }: View): readonly Point[] {
  if (slowSince === null || outage || failure) return [];
  return [
    {
      grade: "warn",
      title: `Lists take longer than one poll interval since ${moments.dayAndTime(slowSince)}.`,
      text: "Nothing new is decided before one has ended, and then it is too old for a launch. Poll more rarely, or let the profile ask for larger pages.",
    },
  ];
}

/** At most one point a fleet: what keeps it from its count. */
function lacking({ fleets }: View): readonly Point[] {
  return fleets.flatMap(({ name, standing, desiredGpus, wishedGpus, runningGpus, startingGpus, reasons }) => {
    const lacks = desiredGpus - runningGpus - startingGpus;
    const remedy = `fleetkeeper resume ${name}`;
    if (standing.kind === "drained" && standing.by === "operator" && wishedGpus > 0)
      return [
        {
          grade: "warn" as const,
          title: `${name} was drained by an operator.`,
          text: `It asks for ${gpusText(wishedGpus)}, and nothing is launched for it before it is resumed.`,
          remedy,
        },
      ];
    if (lacks <= 0) return [];
    if (standing.kind === "paused")
      return [
        {
          grade: "warn" as const,
          title: `${name} is paused, and lacks ${lacks} of ${gpusText(desiredGpus)}.`,
          text: `${sentence(standing.why)} Nothing is launched for it.`,
        },
      ];
    return [
      {
        grade: "warn" as const,
        title: `${name} lacks ${lacks} of ${gpusText(desiredGpus)}.`,
        text: reasons[0] === undefined ? "More is about to be launched." : sentence(reasons[0]),
      },
    ];
  });
}

function settings({ problem }: View): readonly Point[] {
  return problem === undefined ? [] : [{ grade: "warn", title: "The settings have changed.", text: problem }];
}

function halted({ status }: View): readonly Point[] {
  return status.halted.map((reason) => ({
    grade: "bad",
    title: "Launches are halted.",
    text: `${reason}. Look at the service's dashboard and at the profile first.`,
    remedy: "fleetkeeper resume",
  }));
}

function returned({ status }: View): readonly Point[] {
  return returnedByOwner(status.returned).map(({ id, owner, text }) => ({
    grade: "bad",
    title: `${id} ends and comes back.`,
    text: `${text}.`,
    remedy: `fleetkeeper resume${owner && ownerParts(owner).kind === "fleet" ? ` ${ownerParts(owner).name}` : ""}`,
  }));
}

function low({ money: { balance, runway, perHour, unpriced }, shortRunway, floor }: View): readonly Point[] {
  if (balance === undefined) return [];
  if (runway !== undefined && runway < shortRunway) {
    const [lasts, costs] = unpriced > 0 ? ["at most ", "at least "] : ["", ""];
    return [
      {
        grade: runway < LAST_HOUR_MS ? "bad" : "warn",
        title: `The balance lasts ${lasts}${duration(runway)} more.`,
        text: `${usd(balance)} are left, and ${costs}${usd(perHour)} an hour are spent. Credits can be bought in the service's dashboard only.`,
      },
    ];
  }
  if (floor !== undefined && balance.lte(floor)) {
    return [
      {
        grade: "warn",
        title: "The balance is at its floor.",
        text: `${usd(balance)} are left, and a fleet launches nothing below ${usd(floor)}.`,
      },
    ];
  }
  return [];
}

/** What people fear most: a drained fleet that still costs money. */
function leftOver({ leftOver: rows }: View): readonly Point[] {
  return [...Map.groupBy(rows, ({ fleet }) => fleet)].map(([fleet, left]) => ({
    grade: "bad",
    title: `${fleet} is drained, and ${left.length === 1 ? "a machine" : `${left.length} machines`} of it cannot be stopped from here.`,
    text: `${left
      .slice(0, 5)
      .map(({ id }) => id)
      .join(
        ", ",
      )}${left.length > 5 ? " and more" : ""}: paid for until stopped in the service's dashboard; see the fleet for why.`,
  }));
}

function spent({ fleets }: View): readonly Point[] {
  return fleets.flatMap(({ name, standing }) =>
    standing.kind === "drained" && standing.by === "total"
      ? [
          {
            grade: "warn" as const,
            title: `${name} is drained: its total is spent.`,
            text: `${standing.why.replace(/^the fleet/, "It")}. Raise budget.total to go on, or take the fleet out.`,
          },
        ]
      : [],
  );
}

function badRecords({ status: { badRecords: bad } }: View): readonly Point[] {
  const [first] = bad;
  if (!first) return [];
  const { deployment, text } = first;
  return [
    {
      grade: "warn",
      title: `${bad.length === 1 ? "A record" : `${bad.length} records`} of the service cannot be read.`,
      text: `${deployment === null ? "" : `${deployment}: `}${text}.`,
      ...(bad.some((each) => each.deployment === null) ? { remedy: "fleetkeeper disown unreadable" } : {}),
    },
  ];
}

function strangers({ status: { unaccounted }, strangers: { perHour, unpriced } }: View): readonly Point[] {
  const [first] = unaccounted;
  if (!first) return [];
  const many = unaccounted.length > 1;
  const cost =
    unpriced > 0 ? (perHour.gt(0) ? `At least ${usd(perHour)}` : "Nobody knows how much") : usd(perHour);
  return [
    {
      grade: "warn",
      title: many
        ? `${unaccounted.length} machines run that nobody here answers for.`
        : "A machine runs that nobody here answers for.",
      text: html`${cost} an hour. Say whose ${many ? "each" : "it"} is: <a href="#unaccounted">see below</a>.`,
    },
  ];
}

function stuck({ stuck: rows, now }: View): readonly Point[] {
  return rows.map((row) => ({
    grade: "warn",
    title: `${row.id} does not stop.`,
    text: `It has been stopping for ${duration(now - row.statusSince.wall)} and may still be paid for: stop it in the service's dashboard.`,
  }));
}

function support({ losses, now }: View): readonly Point[] {
  const asking = losses.filter(
    ({ row, request }) => request !== undefined && row.seen !== true && now - (row.ended?.wall ?? 0) < DAY_MS,
  );
  if (asking.length === 0) return [];
  return [
    {
      grade: "warn",
      title: `${asking.length === 1 ? "A failed launch is" : `${asking.length} failed launches are`} for the service's support.`,
      text: html`Deployment ${asking
        .slice(0, 5)
        .map(({ row }) => row.id)
        .join(
          ", ",
        )}: <a href="#losses">reason and suggested action</a>. To put ${asking.length === 1 ? "it" : "them"} away:`,
      remedy: asking.length === 1 ? `fleetkeeper seen ${asking[0]?.row.id}` : "fleetkeeper seen",
    },
  ];
}
