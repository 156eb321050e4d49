import type { z } from "zod";
import type { Context } from "../../launch/facts/context.ts";
import type { Draft } from "../../ledger/draft.ts";
import type { Ledger } from "../../ledger/ledger.ts";
import { ownerParts } from "../../ledger/owner.ts";
import type { FleetRow, Right } from "../../ledger/rows.ts";
import type { Json } from "../../service/contract/service.ts";
import type { PlanningInputs } from "../planning/told/fleet-plan.ts";

/** What an order is about. A file is a fleet file that the API has. */
export type About = "fleet" | "file" | "deployment" | "account";

/** What an order knows beside the rows. */
export interface OrderContext extends Context {
  readonly can: PlanningInputs["can"];
  /** The ledger, as texts name it. */
  readonly place: Pick<Ledger, "id" | "location">;
  /** It is tried on a draft that is thrown away. */
  readonly isDry: boolean;
}

/** Something that a person or a program may order. What it does is one decision in the ledger, and no request. */
export interface Order<I = unknown> {
  readonly name: string;
  readonly about: About;
  readonly needs: Right;
  /** How it is asked for. POST: at the path of its name, below what it is about. */
  readonly method: "POST" | "PUT" | "DELETE";
  /** For people, in the OpenAPI document. */
  readonly says: string;
  readonly input: z.ZodType<I>;
  /** Whose fleets it touches, undefined for nobody's. Default: that of what it is about. */
  readonly touches?: (draft: Draft, target: string, input: I) => readonly (string | undefined)[];
  /** What no plan says yet, for whoever is about to order it. Undefined: nothing. */
  readonly warns?: (draft: Draft, target: string, input: I, context: OrderContext) => string | undefined;
  /** Its end comes later: events tell it. */
  readonly goesOn: boolean;
  /** What it is about may not be there before. */
  readonly isNew?: true;
  /** The fleet as whoever orders may have seen it before an earlier step of this order. */
  readonly sameAs?: (fleet: FleetRow) => FleetRow;
  /** Carries it out on a draft, and says what follows. Throws CONFIG where it cannot be, and BUSY where not now. */
  give(draft: Draft, target: string, input: I, context: OrderContext): Json;
}

/** Keeps the type of the input between its schema and what is done with it. */
export function order<I>(
  order: Omit<Order<I>, "goesOn" | "method"> & Partial<Pick<Order<I>, "goesOn" | "method">>,
): Order {
  return { goesOn: false, method: "POST", ...order } as Order;
}

/** The fleet that has this machine. Undefined: none has it. */
export function fleetOfMachine(draft: Draft, id: string): string | undefined {
  const owner = draft.deployments.ever(id)?.owner ?? null;
  const parts = owner === null ? undefined : ownerParts(owner);
  return parts?.kind === "fleet" ? parts.name : undefined;
}
