import type { Abilities } from "../contract/service.ts";
import type { Place } from "./place.ts";
import type { WireProfile } from "./profile.ts";

type ConnectionField = NonNullable<NonNullable<WireProfile["deployments"]>["fields"]["connection"]>[string];

/** Where a connection detail stands. A profile names a pointer, more of it, or a value for all machines. */
export function placeOf(field: ConnectionField): Place {
  return typeof field === "string" || "value" in field ? field : field.pointer;
}

/** The form of the text of which the detail is a part. Undefined: it is all that stands there. */
export function formOf(field: ConnectionField): string | undefined {
  return typeof field === "string" || "value" in field ? undefined : field.form;
}

export function isSecret(field: ConnectionField): boolean {
  return typeof field === "object" && "secret" in field && field.secret === true;
}

/** Each detail by its name. */
export function detailsIn(
  connection: Readonly<Record<string, ConnectionField>>,
): NonNullable<Abilities["details"]> {
  return Object.fromEntries(
    Object.entries(connection).map(([name, field]) => [name, isSecret(field) ? "secret" : "open"]),
  );
}

/** True if a detail has to be asked for: no ledger holds it. */
export function hasSecret({ details = {} }: Pick<Abilities, "details">): boolean {
  return Object.values(details).includes("secret");
}
