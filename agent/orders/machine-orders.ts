import { z } from "zod";
import { holdMachine, LONGEST_HOLD_MS, releaseMachine } from "../../launch/people/machine-hold.ts";
import { disown } from "../../launch/people/operator.ts";
import { Draft } from "../../ledger/draft.ts";
import { copyOf } from "../../ledger/tables.ts";
import { FleetkeeperError } from "../../service/contract/errors.ts";
import { milliseconds } from "../../service/text/duration.ts";
import { clean } from "../fleet/text/text.ts";
import { putAway } from "../status/seen.ts";
import { takeIn, whatFollows } from "./adopting.ts";
import { fleetOfMachine, type Order, type OrderContext, order } from "./order.ts";
import { refusal } from "./refusal.ts";
import { stopOne, whatFollowsStop } from "./stopping.ts";

const nothing = z.strictObject({});
const HOLD = "expected a duration such as 30m, 2h or 3d, at most 30d";

const heldFor = z.string().refine((text) => {
  const lasts = milliseconds(text);
  return lasts > 0 && lasts <= LONGEST_HOLD_MS;
}, HOLD);

/** Throws PROFILE_PART_MISSING: nothing would ever end a machine whose stop is only written down. */
function requireStop(id: string, { can }: OrderContext): void {
  if (can.stop) return;
  throw new FleetkeeperError(
    "PROFILE_PART_MISSING",
    `${id} is not stopped: the agent's profile lacks the part "stop". Stop it in the service's dashboard.`,
  );
}

/** What may be ordered about a machine. */
export const MACHINE_ORDERS: readonly Order[] = [
  order({
    name: "stop",
    about: "deployment",
    needs: "operate",
    says: "Stops a machine that certainly is ours. It bills until its end shows.",
    input: z.strictObject({
      shrink: z.boolean().optional().describe("its fleet wants so many GPUs less from then on"),
      now: z.boolean().optional().describe("nothing of beforeStop runs before it"),
    }),
    goesOn: true,
    warns: (draft, id, how, context) => {
      const row = draft.deployments.ever(id);
      return row && row.end === null ? whatFollowsStop(draft, row, how, context) : undefined;
    },
    give: (draft, id, how, context) => {
      requireStop(id, context);
      stopOne(draft, id, how, context.place, context);
      return { ended: draft.deployments.ever(id)?.end ?? null };
    },
  }),
  order({
    name: "hold",
    about: "deployment",
    needs: "operate",
    says: "For that time no stop that fleetkeeper chooses takes it. A deadline, a spent total and a stop of all do.",
    input: z.strictObject({ for: heldFor, why: z.string().max(200).optional() }),
    give: (draft, id, { for: lasts, why }, context) => {
      const { hold } = holdMachine(draft, id, context.now.wall + milliseconds(lasts), why, context);
      return { until: hold?.until ?? null, why: hold?.why ?? null };
    },
  }),
  order({
    name: "release",
    about: "deployment",
    needs: "operate",
    says: "It is stopped as any other again.",
    input: nothing,
    give: (draft, id, _, context) => ({ released: releaseMachine(draft, id, context) === "free" }),
  }),
  order({
    name: "adopt",
    about: "deployment",
    needs: "operate",
    says: "Makes a machine certainly ours: its fleet, or its Pulumi Deployment, counts it, pays for it, and may stop it.",
    input: z
      .strictObject({
        fleet: z.string().optional(),
        deployment: z.string().max(200).optional().describe("name or id of the slot of a Pulumi Deployment"),
        gpus: z.int().positive().optional().describe("how many it has, where the service does not show it"),
        stops: z
          .array(z.string())
          .default([])
          .describe(
            "what may be stopped because of it: a dry run says which. Where more would be, nothing is done",
          ),
      })
      .refine(({ fleet, deployment }) => (fleet === undefined) !== (deployment === undefined), {
        message: "expected either fleet or deployment: who adopts it",
      }),
    touches: (draft, id, { fleet }) => {
      const row = draft.deployments.ever(id);
      if (row && row.owner !== null) return [fleet, fleetOfMachine(draft, id)];
      // It was disowned for good, or is somebody else's in an account of several: no team decides that alone.
      const isStrangers = row?.claim === "foreign" || draft.account.tenure !== "exclusive";
      return isStrangers ? [fleet, undefined] : [fleet];
    },
    warns: (draft, id, { stops: _said, ...adopter }, context) =>
      whatFollows(new Draft(copyOf(draft)), id, adopter, context, clean)?.says,
    give: (draft, id, { stops, ...adopter }, context) => {
      const ahead = whatFollows(new Draft(copyOf(draft)), id, adopter, context, clean);
      if (ahead?.purpose === "stop") requireStop(id, context);
      const told = { purpose: ahead?.purpose ?? "keep", stops } as const;
      const isTold = ahead === undefined || ahead.stops.every((each) => stops.includes(each));
      if (!isTold && !context.isDry)
        throw refusal(`${ahead.says} To do so: "stops": ${JSON.stringify(ahead.stops)}`);
      const whose = takeIn(draft, id, adopter, context.isDry ? ahead : told, context);
      if (told.purpose === "stop") stopOne(draft, id, {}, context.place, context);
      const { purpose } = told;
      return { whose, stops: ahead?.stops ?? [], purpose, question: ahead?.question ?? null };
    },
  }),
  order({
    name: "disown",
    about: "deployment",
    // Its fleet rents another one, and no limit counts this one any more: again and again, that spends without end.
    needs: "declare",
    says: "It is nobody's here, for good. It keeps running and costs what it costs, until somebody stops it.",
    input: nothing,
    give: (draft, id, _, context) => {
      disown(draft, id, context);
      return {};
    },
  }),
  order({
    name: "seen",
    about: "deployment",
    needs: "operate",
    says: "Puts away a failed launch that is for the service's support. It stays in the history.",
    input: nothing,
    give: (draft, id, _, context) => ({ seen: [...putAway(draft, id, context)] }),
  }),
];
