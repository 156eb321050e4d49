import { z } from "zod";
import { counted } from "../../../../service/text/counted.ts";
import { gpusText } from "../../../fleet/text/text.ts";
import type { Said } from "../../../json/parts.ts";
import type { Foreseen } from "../../../orders/foresee.ts";
import { deploymentFacts } from "../../../status/deployment-facts.ts";
import { emergencyStop } from "../../../status/emergency-stop.ts";
import { whoseText } from "../../../status/owner-names.ts";
import { shortRow } from "../../../status/short-row.ts";
import type { Act } from "../pages/acts.ts";
import type { Basics } from "../pages/basics.ts";
import { combinationHtml, state } from "../pages/fleet-card.ts";
import { type Content, Html, html } from "../pages/html.ts";
import { linkTo, machineLink } from "../pages/links.ts";
import { accountPage } from "../pages/shell.ts";
import { aheadHtml, hourText } from "./ahead.ts";
import type { Asked } from "./asked.ts";
import { inputsOf } from "./inputs.ts";

/** What of the first step goes along in the second one. */
export const shownSchema = z.strictObject({
  chosen: z.record(z.string(), z.string()),
  version: z.string().max(8_000).optional().describe("of the fleet or machine, or of all parts of a fleet"),
  stops: z.array(z.string()).optional().describe("the machines that an adoption may stop"),
  key: z
    .string()
    .regex(/^page-[\w-]{36}$/)
    .describe("one form is one order, however often it is sent"),
});
export type Shown = Said<typeof shownSchema>;

/** What is said before the order is given. */
export interface Ahead {
  /** What is wrong, or was. */
  readonly problem?: string | undefined;
  readonly foreseen?: Foreseen | undefined;
  /** Undefined: it cannot be ordered so. */
  readonly shown?: Shown | undefined;
}

/** Where the person came from. */
export function backLink({ act, target, isOwnPage }: Asked): string {
  if (!isOwnPage || act.order.about === "account") return "./";
  return (
    (act.order.about === "fleet" ? linkTo("fleet", { name: target }) : linkTo("machine", { id: target })) ??
    "./"
  );
}

/** The first step: what would follow, and the form of the second one. */
export function actPage(basics: Basics, asked: Asked, ahead: Ahead, csrf: string): string {
  const { act, target, chosen } = asked;
  const fields = inputsOf(act).fields(chosen, basics, target);
  const name = called(basics, asked);
  return accountPage(basics, {
    title: `${ahead.problem === undefined ? "" : "Not done: "}${act.verb} ${target === "" ? name : target}`,
    at: "other",
    hasForm: true,
    main: html`<section class="act" aria-labelledby="act"><h2 id="act" tabindex="-1" autofocus>${act.verb} <span class="of">${name}</span>?</h2>
${ahead.problem !== undefined && html`<p class="told bad" role="alert">${basics.words(ahead.problem)}</p>`}
<p>${act.order.says}</p>
${machine(basics, asked)}
${fields !== "" && choices(asked, fields)}
${ahead.foreseen && html`<div class="card"><h3>What would follow</h3>${aheadHtml(basics, asked, ahead.foreseen)}</div>`}
${ahead.shown && confirm(basics, asked, ahead.shown, csrf)}
${!ahead.shown && html`<p class="buttons"><a class="button" href="${backLink(asked)}">Back</a></p>`}</section>`,
  });
}

/** A machine's id is a line of its own. */
function called({ head }: Basics, { act, target }: Asked): string {
  return { account: head.account, fleet: target, file: target, deployment: "this machine" }[act.order.about];
}

function machine({ draft }: Basics, { act, target }: Asked): Content {
  const row = act.order.about === "deployment" ? draft.deployments.ever(target) : undefined;
  if (!row) return "";
  const { gpus } = shortRow(draft, row);
  return html`<p>${machineLink(target)} ${state(row.status)} ${combinationHtml(shortRow(draft, row))}${gpus !== null && `, ${gpusText(gpus)}`}, ${hourText(draft, [row])}, ${whoseText(deploymentFacts(draft, row))}</p>`;
}

/** A form that changes nothing: it asks for the same page, of what is chosen. */
function choices({ act, target, isOwnPage }: Asked, fields: Content): Html {
  const { name, about } = act.order;
  return html`<form class="card choices" action="act" method="get">
<input type="hidden" name="order" value="${name}"><input type="hidden" name="${about}" value="${target}">${isOwnPage && html`<input type="hidden" name="from" value="own">`}
${fields}
<p class="broad"><button class="mild" type="submit">Show what would follow</button></p></form>`;
}

function confirm(basics: Basics, asked: Asked, shown: Shown, csrf: string): Html {
  const { act } = asked;
  const sure =
    mustBeSure(act) &&
    html`<p class="tick"><input type="checkbox" id="sure" name="sure" value="yes" required><label for="sure">${everything(basics)}</label></p>`;
  const says = `${act.verb} ${called(basics, asked)}`;
  return secondStep({ csrf, shown, sure, isGrave: act.isGrave, says, back: backLink(asked) });
}

/** The form that orders what was shown. */
export function secondStep({
  csrf,
  shown,
  sure = "",
  isGrave,
  says,
  back,
}: {
  readonly csrf: string;
  readonly shown: Shown;
  readonly sure?: Content;
  readonly isGrave: boolean;
  readonly says: string;
  readonly back: string;
}): Html {
  return html`<form method="post" action="act">
<input type="hidden" name="csrf" value="${csrf}"><input type="hidden" name="shown" value="${new Html(encoded(shown))}">
${sure}
<p class="buttons"><button class="${isGrave ? "grave" : ""}" type="submit">${says}</button> <a class="button" href="${back}">Cancel</a></p></form>`;
}

export function mustBeSure({ order }: Act): boolean {
  return order.about === "account" && order.name === "stop";
}

function everything({ draft, context }: Basics): string {
  const { machines, launches, fleets, doubtful } = emergencyStop(draft, context);
  const open = launches.length > 0 ? ` and ${counted(launches.length, "open launch", "open launches")}` : "";
  const not =
    doubtful.length > 0 &&
    ` Not what nobody can say is ours: ${counted(doubtful.length, "machine")}, ${hourText(draft, doubtful)}.`;
  return `Yes, stop all: ${counted(machines.length, "machine")}${open}, ${hourText(draft, machines)}, and drain ${counted(fleets.length, "fleet")}.${not || ""}`;
}

/** Letters, digits, - and _ alone: however it looks, it goes onto the page and comes back as it is. */
function encoded(shown: Shown): string {
  return Buffer.from(JSON.stringify(shown)).toString("base64url");
}
