import { isSecret } from "./connection.ts";
import { isConstant } from "./place.ts";
import type { WireProfile } from "./profile.ts";
import type { Abilities, Json } from "./service.ts";
import { placeholdersIn } from "./template.ts";

/** What a profile makes possible. */
export function abilitiesOf({ launch, deployments, offers, stop }: WireProfile): Abilities {
  const fields = deployments?.fields ?? {};
  const where = (["offer", "provider", "location"] as const).map((name) => [name, fields[name]] as const);
  const constants = where.flatMap(([name, place]) => (isConstant(place) ? [name] : []));
  return Object.freeze({
    marker: fields.marker !== undefined && launch !== undefined && sendsMarker(launch.body),
    // What is the same for all machines cannot tell them apart: at least one part must not be a constant.
    combination: where.every(([, place]) => place !== undefined) && constants.length < where.length,
    constants,
    launch: launch !== undefined,
    stop: stop !== undefined,
    get: deployments?.get !== undefined,
    offers: offers !== undefined,
    price: fields.pricePerHour !== undefined || fields.pricePerGpuHour !== undefined,
    offerPrice: [offers?.fields.pricePerHour, offers?.fields.pricePerGpuHour].some(
      (each) => each !== undefined,
    ),
    secretConnection: Object.values(fields.connection ?? {}).some(isSecret),
  });
}

function sendsMarker(template: Json): boolean {
  if (typeof template === "string") return placeholdersIn(template).includes("marker");
  return template !== null && typeof template === "object" && Object.values(template).some(sendsMarker);
}
