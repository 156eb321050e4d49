import { z } from "zod";

/** Which of the services of a fleet file keep a fleet: in the file, and in a stack. */
export const servicesShape = {
  services: z
    .union([z.literal("all"), z.array(z.string().min(1)).nonempty()], {
      error: "expected names of services, or all",
    })
    .optional()
    .describe("those of services among which it is kept, wherever it is cheapest"),
  spread: z
    .strictObject({ atLeast: z.int().min(2).describe("services in which it stands at least") })
    .optional()
    .describe("with services: no one of them has more than its part, so that an outage leaves the others"),
};

/** What is wrong with services that are there: the key, and why. */
export function amongProblem(
  services: readonly string[],
  spread: { readonly atLeast: number } | undefined,
): { readonly key: "services" | "spread"; readonly message: string } | undefined {
  const twice = services.find((name, index) => services.indexOf(name) < index);
  if (twice !== undefined) return { key: "services", message: `names ${twice} twice` };
  if (!spread || spread.atLeast <= services.length) return undefined;
  const there = `there are ${services.length}: ${services.join(", ")}`;
  return { key: "spread", message: `wants ${spread.atLeast} services at least, and ${there}` };
}

export const SPREAD_ALONE = "goes with services: name those among which the fleet is spread, or take it out";
