import type { Deployment } from "./service.ts";
import { isUnread, type Unread } from "./unread.ts";

/**
 * One record of two that a list has of one deployment. Pages shift while machines change, and nobody knows which of two
 * is the older one, whatever their order. So records that differ say nothing but that it is there.
 */
export function agreed(one: Deployment | Unread, other: Deployment | Unread): Deployment | Unread {
  if (isUnread(one) && (one.contradicts || isUnread(other))) return one;
  if (isUnread(other)) return { ...other, contradicts: true };
  if (isUnread(one)) return { ...one, contradicts: true };
  const fields = differences(one, other);
  if (fields.length === 0) return one;
  const states = one.status === other.status ? "" : ` (${one.status}, and ${other.status})`;
  return {
    unread: `the list has two records of it that differ in ${fields.join(", ")}${states}`,
    where: "the list",
    id: one.id,
    contradicts: true,
  };
}

/** The fields in which two records differ. */
export function differences<T extends object>(one: T, other: T): readonly (keyof T & string)[] {
  return (Object.keys({ ...one, ...other }) as (keyof T & string)[]).filter(
    (field) => JSON.stringify(one[field]) !== JSON.stringify(other[field]),
  );
}
