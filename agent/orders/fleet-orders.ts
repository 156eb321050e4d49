import { z } from "zod";
import type { Context } from "../../launch/facts/context.ts";
import { note } from "../../launch/facts/events.ts";
import type { Draft } from "../../ledger/draft.ts";
import { fleetOwner } from "../../ledger/owner.ts";
import { FleetkeeperError } from "../../service/contract/errors.ts";
import { milliseconds } from "../../service/text/duration.ts";
import { askForCount, endAsk } from "../fleet/ask-for-count.ts";
import { commandsOf, isProgramName } from "../fleet/commands.ts";
import { parseFleetFile } from "../fleet/fleet-file.ts";
import { drainFleet, fleetNamed, pauseFleet, resumeFleet } from "../fleet/fleet-orders.ts";
import { declareFleet, removeFleet } from "../fleet/fleets.ts";
import { wakeFleet } from "../fleet/lowered-count.ts";
import { askFacts } from "../fleet/person-ask.ts";
import type { Wish } from "../fleet/wish.ts";
import type { FleetAsk, FleetPhase } from "../json/status.ts";
import { type Order, order } from "./order.ts";
import { refusal } from "./refusal.ts";
import { fleetVersion } from "./version.ts";

const nothing = z.strictObject({});

/** Whose the fleets are that the API declares. A file or a stack that has one of their names is another owner. */
const SOURCE = "api:";

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
    warns: (draft, fleet) =>
      draft.fleets.get(fleet)?.part &&
      `${fleet} is a part of a fleet in several services: its share moves to the others, which rent it. To end all of it, drain each part.`,
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
    }),
    give: (draft, fleet, { gpus, for: lasts, why }, context) => {
      const until = lasts === undefined ? undefined : context.now.wall + milliseconds(lasts);
      const asked = askForCount(draft, fleet, { gpus, until, why }, context);
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
      const news = declareFleet(draft, { name, source: SOURCE, wish: wishOf(name, wish) }, context);
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
      if (fleet.source !== SOURCE)
        throw refusal(`${name} was declared by ${fleet.source}: take it out there. Or order its drain.`);
      removeFleet(draft, name, SOURCE);
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
  return (fleet && askFacts(fleet, context)) ?? null;
}

/** As a fleet file is read. Throws CONFIG, which names the key. */
function wishOf(name: string, wish: Readonly<Record<string, unknown>>): Wish {
  if ("name" in wish) throw refusal(`${name}: the path says its name: take name out.`);
  if ("previousName" in wish) throw refusal(`${name}: the API renames no fleet: take previousName out.`);
  try {
    const [fleet] = parseFleetFile(JSON.stringify({ fleets: [{ ...wish, name }] }), FILE).fleets;
    if (!fleet) throw new FleetkeeperError("INTERNAL", "a file with one fleet had none");
    refuseOnHost(fleet.wish);
    return fleet.wish;
  } catch (error) {
    if (!(error instanceof FleetkeeperError) || error.code !== "CONFIG") throw error;
    throw refusal(error.message.replaceAll(WHERE, ""));
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
/** Where in a file of one fleet something is wrong, as far as nobody wrote that. */
const WHERE = /^request:\d+(?::\d+)? (?:fleets\.0(?:\.|: ))?/gm;
