import { z } from "zod";
import { count, type Said, text } from "./parts.ts";

const state = z
  .enum(["taking", "paused", "draining", "drained", "out", "unreadable", "refused"])
  .describe(
    "taking: it launches what is missing where it is cheapest. paused, draining, drained: by an operator. out: the fleet's declaration leaves it out. unreadable, refused: its account cannot be read, or its key is refused",
  );

const serviceSchema = z.object({
  service: text.describe("its name in the fleet file"),
  account: text.describe("its e-mail address"),
  part: text.describe("the fleet of that account that has the share"),
  state,
  portion: count.describe("GPUs of the whole's count that are this service's now"),
  ahead: count.describe("GPUs launched, within surge, in the place of some of a service that is left"),
  running: count.describe("GPUs of machines that run"),
  starting: count.describe("GPUs of machines that do not run yet"),
  stopping: count.describe("GPUs of machines that are being stopped, and are paid for"),
  unknown: count.describe("GPUs of launches whose outcome is not known"),
  why: z.array(text).describe("why nothing is launched there, or what is waited for"),
});
export type ServiceFacts = Said<typeof serviceSchema>;
export type ServiceState = ServiceFacts["state"];

const fleetSchema = z.object({
  fleet: text,
  gpus: count.describe("what all of its services together are to have"),
  services: z.array(serviceSchema),
});
export type ServicesFacts = Said<typeof fleetSchema>;

/** `services --json`: each fleet that several services keep. */
export const servicesSchema = z.object({ fleets: z.array(fleetSchema) });
