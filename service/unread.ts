/**
 * A record of a list that cannot be read, because a field that everything hangs on is not as the profile says. It is set
 * aside and named, and the others count: one broken record must not hide all machines. It may be a machine, though.
 */
export interface Unread {
  /** Why, for people: which field, and what stands there. */
  readonly unread: string;
  /** Which record: `deployments[3] of page 2`. */
  readonly where: string;
  /** Of a deployment, where that much can be read. */
  readonly id?: string;
}

/** What a deployment is said to be in of which no state was ever read. */
export const UNREADABLE = "unreadable";

export function isUnread(record: object): record is Unread {
  return "unread" in record;
}

/** The records that can be read. */
export function readable<T extends object>(list: readonly (T | Unread)[]): readonly T[] {
  return list.filter((record): record is T => !isUnread(record));
}

/** The records that cannot. */
export function unreadOf(list: readonly object[]): readonly Unread[] {
  return list.filter(isUnread);
}

/** How many those are and what is wrong with the first of them, for people; undefined: all can be read. */
export function unreadText(list: readonly object[], name: string): string | undefined {
  const [first, ...others] = unreadOf(list);
  if (first === undefined) return undefined;
  const of = `${first.where}: ${first.unread}`;
  if (others.length === 0) return `1 of ${list.length} ${name} cannot be read and does not count (${of})`;
  return `${others.length + 1} of ${list.length} ${name} cannot be read and do not count, such as ${of}`;
}
