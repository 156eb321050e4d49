import type { WireProfile } from "./profile.ts";

type ConnectionField = NonNullable<NonNullable<WireProfile["deployments"]>["fields"]["connection"]>[string];

/** Where a connection detail stands: profiles name a pointer, or a pointer that leads to a secret. */
export function pointerOf(field: ConnectionField): string {
  return typeof field === "string" ? field : field.pointer;
}

export function isSecret(field: ConnectionField): boolean {
  return typeof field !== "string" && field.secret;
}
