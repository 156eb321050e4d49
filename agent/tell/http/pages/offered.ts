import type { HoldKind } from "../../../../launch/facts/hold.ts";
import { isHeld } from "../../../../launch/facts/machine-hold.ts";
import type { FleetRow } from "../../../../ledger/rows.ts";
import { fleetPhase } from "../../../fleet/phase/fleet-phase.ts";
import { askableRange } from "../../../fleet/size/ask-for-count.ts";
import { isAskOver } from "../../../fleet/size/person-ask.ts";
import { whyNot } from "../../../orders/carry-out.ts";
import type { About } from "../../../orders/order.ts";
import { type Act, actNamed } from "./acts.ts";
import type { Basics } from "./basics.ts";
import { type Content, html } from "./html.ts";
import { linkTo } from "./links.ts";

/** What is offered where, in this order, as far as things are so that it does something. */
const FLEET: readonly (readonly [name: string, fits: (fleet: FleetRow, basics: Basics) => boolean])[] = [
  ["pause", (fleet, { draft, context }) => fleetPhase(draft, fleet, context).kind === "kept"],
  ["resume", (fleet, basics) => mayGoOn(fleet, basics)],
  ["ask", (fleet) => typeof askableRange(fleet) !== "string"],
  ["end-ask", (fleet, { context }) => fleet.ask?.now !== undefined && !isAskOver(fleet, context)],
  ["wake", ({ lowered = 0 }) => lowered > 0],
  ["drain", ({ drained }) => drained?.by !== "operator"],
];

/** What holds a fleet and is over once it is resumed. */
const FORGIVEN: ReadonlySet<string> = new Set<HoldKind>([
  ...(["returned", "churned", "givenBack", "failing", "unanswered", "refusedAll", "unsent"] as const),
  ...(["leftAlone", "blocked"] as const),
]);

function mayGoOn(fleet: FleetRow, { draft, context }: Basics): boolean {
  const phase = fleetPhase(draft, fleet, context);
  if (phase.kind === "drained") return phase.by === "operator" || phase.by === "total";
  return (
    fleet.paused ||
    fleet.updateHeld !== undefined ||
    (fleet.holds ?? []).some(({ kind }) => FORGIVEN.has(kind))
  );
}

function forMachine(id: string, { draft, context }: Basics): readonly string[] {
  const row = draft.deployments.ever(id);
  if (!row) return [];
  if (row.end !== null)
    return row.end === "failed" && row.owner !== null && row.seen !== true ? ["seen"] : [];
  if (row.claim !== "certain") return row.claim === "foreign" ? ["adopt"] : ["adopt", "disown"];
  if (row.stop !== null) return ["disown"];
  return [...(isHeld(row, context.now) ? ["release", "hold"] : ["hold", "stop"]), "disown"];
}

function namesFor(about: About, target: string, basics: Basics): readonly string[] {
  if (about === "account") return ["resume", "seen", "stop"];
  if (about === "deployment") return forMachine(target, basics);
  const fleet = basics.draft.fleets.get(target);
  return fleet && !fleet.removed ? FLEET.flatMap(([name, fits]) => (fits(fleet, basics) ? [name] : [])) : [];
}

/** Whoever adopts: those among whom this actor may choose. */
export function adopters(
  { draft, actor, context }: Basics,
  id: string,
): readonly (readonly [string, string])[] {
  const adopt = actNamed("deployment", "adopt");
  if (!adopt || !actor) return [];
  const may = (input: Record<string, string>): boolean =>
    whyNot(draft, { order: adopt.order, target: id, input, actor }, context) === undefined;
  const fleets = [...draft.fleets.values()].filter(({ removed, name }) => !removed && may({ fleet: name }));
  const slots = [...draft.slots.values()].filter(
    ({ closing, id: slot }) => !closing && may({ deployment: slot }),
  );
  return [
    ...fleets.map(({ name }) => [`fleet:${name}`, `fleet ${name}`] as const),
    ...slots.map(({ id: slot, name }) => [`slot:${slot}`, `Pulumi deployment ${name ?? slot}`] as const),
  ];
}

/** Asks what the transaction asks: what may not be ordered is not offered. */
export function mayOrder(basics: Basics, { order }: Act, target: string): boolean {
  const { actor, draft, context } = basics;
  if (!actor) return false;
  if (order.name === "adopt") return adopters(basics, target).length > 0;
  return whyNot(draft, { order, target, input: {}, actor }, context) === undefined;
}

/** Where an act is asked about. `isOwnPage`: it leads back to the page of what it is about, and not to the status page. */
function actLink({ order }: Act, target: string, isOwnPage = false): string | undefined {
  const about = order.about === "account" ? {} : { [order.about]: target };
  return linkTo("act", { order: order.name, ...about, from: isOwnPage ? "own" : undefined });
}

/** Links to what whoever has signed in may order of it now. `only`: of these. */
export function actLinks(
  basics: Basics,
  about: About,
  target: string,
  { isOwnPage = false, only }: { readonly isOwnPage?: boolean; readonly only?: readonly string[] } = {},
): Content {
  if (!basics.actor) return "";
  const links = namesFor(about, target, basics).flatMap((name) => {
    const act = only && !only.includes(name) ? undefined : actNamed(about, name);
    const link = act && mayOrder(basics, act, target) ? actLink(act, target, isOwnPage) : undefined;
    return act && link !== undefined ? [{ act, link }] : [];
  });
  if (links.length === 0) return "";
  const whole = about === "fleet" ? basics.draft.fleets.get(target)?.part?.of : undefined;
  const ofWhole = links.flatMap(({ act }) => {
    const link =
      whole !== undefined && isOfWhole(act.order.name)
        ? linkTo("act", { order: act.order.name, whole })
        : undefined;
    return link === undefined ? [] : [{ act, link }];
  });
  return html`<p class="acts">${links.map(
    ({ act, link }) =>
      html`<a class="${act.isGrave ? "grave" : "mild"}" href="${link}">${act.link}${target !== "" && html`<span class="visually-hidden"> ${target}</span>`}</a>`,
  )}${ofWhole.map(
    ({ act, link }) =>
      html`<a class="${act.isGrave ? "grave" : "mild"}" href="${link}">${act.link} in all services<span class="visually-hidden"> ${whole}</span></a>`,
  )}</p>`;
}

/** What a page orders about all parts of a fleet at once: it asks for nothing more. */
export function isOfWhole(order: string): boolean {
  return ["pause", "resume", "drain"].includes(order);
}

/** What takes an order back, by what was there before. */
export function undoLink(before: Basics, { order, undo }: Act, target: string): string | undefined {
  const fleet = before.draft.fleets.get(target);
  const wasDrained = fleet?.drained?.by === "operator" ? "drain" : undefined;
  const name =
    order.about === "fleet" && order.name === "resume" ? (fleet?.paused ? "pause" : wasDrained) : undo;
  const act = name === undefined ? undefined : actNamed(order.about, name);
  return act && mayOrder(before, act, target) ? actLink(act, target) : undefined;
}
