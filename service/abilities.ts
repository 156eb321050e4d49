import { isSecret } from "./connection.ts";
import type { WireProfile } from "./profile.ts";
import type { Abilities, Json } from "./service.ts";
import { placeholdersIn } from "./template.ts";

/** What a profile makes possible. */
export function abilitiesOf({ launch, deployments, offers, stop }: WireProfile): Abilities {
  const fields = deployments?.fields ?? {};
  return Object.freeze({
    marker: fields.marker !== undefined && launch !== undefined && sendsMarker(launch.body),
    combination: fields.offer !== undefined && fields.provider !== undefined && fields.location !== undefined,
    launch: launch !== undefined,
    stop: stop !== undefined,
    get: deployments?.get !== undefined,
    offers: offers !== undefined,
    price: fields.pricePerHour !== undefined,
    secretConnection: Object.values(fields.connection ?? {}).some(isSecret),
  });
}

function sendsMarker(template: Json): boolean {
  if (typeof template === "string") return placeholdersIn(template).includes("marker");
  return template !== null && typeof template === "object" && Object.values(template).some(sendsMarker);
}
