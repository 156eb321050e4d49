import { combinationText } from "../contract/contract.ts";
import { parseUsd } from "../contract/money.ts";
import type { Deployment, Offer } from "../contract/service.ts";
import { isUnread, type Unread } from "../contract/unread.ts";

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

/** What no offer changes while it is one. Its price does, and how many can be had. */
const LASTING = /^(gpus|gpuModel|extra\..*)$/;

/**
 * One offer of two that a list has of one combination. A price may change from page to page, and the higher one counts. Two that differ
 * in one answer, or in what lasts, are two offers: a launch names no more than the combination, and may get either.
 */
export function agreedOffer(one: Offer | Unread, other: Offer | Unread, onePage: boolean): Offer | Unread {
  if (isUnread(one) || isUnread(other)) return one;
  const [first, second] = [flat(one), flat(other)];
  const fields = differences(first, second).filter(
    (field) => LASTING.test(field) || (onePage && field === "pricePerHour"),
  );
  if (fields.length === 0)
    return parseUsd(one.pricePerHour ?? "")?.gt(other.pricePerHour ?? one.pricePerHour ?? 0) ? one : other;
  const values = fields.map(
    (field) => `${field} (${first[field] ?? "none"}, and ${second[field] ?? "none"})`,
  );
  return {
    unread:
      `two offers are this combination and differ in ${values.join(" and ")}, so a launch may get either. Map a field that tells them apart ` +
      'as "id", "provider" or "location" in offers.fields, or leave others out by "query" in offers.list',
    where: combinationText(one),
  };
}

function flat({ extra = {}, ...offer }: Offer): Readonly<Record<string, string | number | boolean>> {
  return {
    ...offer,
    ...Object.fromEntries(Object.entries(extra).map(([name, value]) => [`extra.${name}`, value])),
  };
}

/** The fields in which two records differ. */
function differences<T extends object>(one: T, other: T): readonly (keyof T & string)[] {
  return (Object.keys({ ...one, ...other }) as (keyof T & string)[]).filter(
    (field) => JSON.stringify(one[field]) !== JSON.stringify(other[field]),
  );
}
