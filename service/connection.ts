import type { WireProfile } from "./profile.ts";

type ConnectionField = NonNullable<NonNullable<WireProfile["deployments"]>["fields"]["connection"]>[string];

/** The pointer of a connection detail. A profile names a pointer, or a pointer to a secret. */
export function pointerOf(field: ConnectionField): string {
  return typeof field === "string" ? field : field.pointer;
}

export function isSecret(field: ConnectionField): boolean {
  return typeof field !== "string" && field.secret;
}
