import { z } from "zod";
import type { Context } from "../../launch/facts/context.ts";
import { note } from "../../launch/facts/events.ts";
import type { Draft } from "../../ledger/draft.ts";
import { fleetOwner } from "../../ledger/owner.ts";
import { milliseconds } from "../../service/text/duration.ts";
import { declareFleet, removeFleet } from "../fleet/declare/fleets.ts";
import { drainFleet, fleetNamed, pauseFleet, resumeFleet } from "../fleet/phase/fleet-orders.ts";
import { endAsk } from "../fleet/size/ask-for-count.ts";
import { asWhole } from "../fleet/size/asked-size.ts";
import { wakeFleet } from "../fleet/size/lowered-count.ts";
import { askFacts } from "../fleet/size/person-ask.ts";
import type { FleetAsk, FleetPhase } from "../json/status.ts";
import { API_SOURCE, wishOf, withinMost } from "./api-declaration.ts";
import { askFor } from "./asking.ts";
import { type Order, order } from "./order.ts";
import { refusal } from "./refusal.ts";
import { fleetVersion } from "./version.ts";

const nothing = z.strictObject({});

/** What may be ordered about a fleet. */
export const FLEET_ORDERS: readonly Order[] = [
  order({
    name: "pause",
    about: "fleet",
    needs: "operate",
    says: "Keeps what runs, and launches and stops nothing, until it is resumed. A deadline still drains it.",
    input: nothing,
    give: (draft, fleet, _, context) => said(pauseFleet(draft, fleet, context)),
  }),
  order({
    name: "resume",
    about: "fleet",
    needs: "operate",
    says: "Ends a pause, a drain and the pause of an update, and forgives failures: launches are tried now.",
    input: nothing,
    give: (draft, fleet, _, context) => said(resumeFleet(draft, fleet, context)),
  }),
  order({
    name: "drain",
    about: "fleet",
    needs: "operate",
    says: "Stops everything that certainly is the fleet's, and launches nothing, until it is resumed.",
    input: nothing,
    goesOn: true,
    // The plans of an account do not show what others rent because of it.
    warns: (draft, fleet) => {
      const of = draft.fleets.get(fleet)?.part?.of;
      return (
        of &&
        `${fleet} is a part of a fleet in several services: its share moves to the others, which rent it. To end all of it: fleetkeeper drain ${of}`
      );
    },
    give: (draft, fleet, _, context) => said(drainFleet(draft, fleet, context)),
  }),
  order({
    name: "wake",
    about: "fleet",
    needs: "operate",
    says: "What was given back of it is wanted again.",
    input: nothing,
    give: (draft, fleet, _, context) => ({ raised: wakeFleet(draft, fleet, context) === "raised" }),
  }),
  order({
    name: "ask",
    about: "fleet",
    needs: "operate",
    says: "Asks for so many GPUs, within the range of its count, for a time or until that is taken back.",
    input: z.strictObject({
      gpus: z.int().min(0),
      for: z
        .string()
        .refine((text) => milliseconds(text) > 0, "expected a duration such as 30m, 4h or 3d")
        .optional(),
      why: z.string().max(200).optional(),
      exactly: z
        .boolean()
        .optional()
        .describe(
          "what was given back before counts no more; refused where something else says the size, too",
        ),
      keeps: z
        .boolean()
        .optional()
        .describe("at least as many as it has, or may have: nothing ends because of it"),
    }),
    give: (draft, fleet, { for: lasts, ...ask }, context) => {
      const until = lasts === undefined ? undefined : context.now.wall + milliseconds(lasts);
      const asked = askFor(draft, fleet, { ...ask, until }, context);
      return { gpus: asked.gpus, ...said(asked.stands), asks: asksOf(draft, fleet, context) };
    },
  }),
  order({
    name: "end-ask",
    about: "fleet",
    needs: "operate",
    says: "Takes back what a person asked for.",
    input: nothing,
    give: (draft, fleet, _, context) => {
      const ended = endAsk(draft, fleet, context);
      if (!ended) return { gpus: null };
      return { gpus: ended.gpus, ...said(ended.stands), asks: asksOf(draft, fleet, context) };
    },
  }),
  order({
    name: "declare",
    about: "fleet",
    needs: "declare",
    says:
      "Declares a fleet, as a fleet file does: its keys, without the name. One that a file or a stack has declared is refused. " +
      "Commands in it run only where the agent lets stacks give some.",
    input: z.looseObject({}),
    method: "PUT",
    isNew: true,
    give: (draft, name, wish, context) => {
      const before = draft.fleets.get(name);
      const declaration = { name, source: API_SOURCE, wish: wishOf(name, wish) };
      const news = withinMost(draft, () => declareFleet(draft, declaration, context));
      const now = draft.fleets.get(name);
      if (now && before !== now)
        note(draft, context, "declared", `${name} was declared by the API`, { owner: fleetOwner(name) });
      return { version: now ? fleetVersion(now) : null, news: news ?? null };
    },
  }),
  order({
    name: "remove",
    about: "fleet",
    needs: "declare",
    says: "Takes back what the API declared: the fleet drains, and all that it has is stopped.",
    input: nothing,
    method: "DELETE",
    goesOn: true,
    give: (draft, name, _, context) => {
      const fleet = fleetNamed(draft, name);
      if (fleet.source !== API_SOURCE)
        throw refusal(`${name} was declared by ${fleet.source}: take it out there. Or order its drain.`);
      removeFleet(draft, name, API_SOURCE);
      note(draft, context, "drained", `${name} was removed by the API, and drains`, {
        owner: fleetOwner(name),
      });
      return {};
    },
  }),
];

/** How a fleet stands after it. */
function said(stands: FleetPhase) {
  if (stands.kind === "kept") return { phase: stands.kind };
  const { kind, ...why } = stands;
  return { phase: kind, ...why };
}

function asksOf(draft: Draft, name: string, context: Context): FleetAsk | null {
  const fleet = draft.fleets.get(name);
  return (fleet && askFacts(asWhole(fleet), context)) ?? null;
}
