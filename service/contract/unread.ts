/**
 * A record of a list in which a vital field cannot be read. It is set aside and named, and the others count:
 * one broken record must not hide all machines. But it may be a machine.
 */
export interface Unread {
  /** For people: which field it is, and its value. */
  readonly unread: string;
  /** Names the record: `deployments[3] of page 2`. */
  readonly where: string;
  /** The deployment's id, if that can be read. */
  readonly id?: string;
  /** Another record of the same list says something else of it. */
  readonly contradicts?: true;
}

/** The state of a deployment whose state was never read. */
export const UNREADABLE = "unreadable";

export function isUnread(record: object): record is Unread {
  return "unread" in record;
}

export function readable<T extends object>(list: readonly (T | Unread)[] | null): readonly T[] {
  return (list ?? []).filter((record): record is T => !isUnread(record));
}

export function unreadOf(list: readonly object[]): readonly Unread[] {
  return list.filter(isUnread);
}

/** How many cannot be read, and what is wrong with the first, for people. Undefined if there is none. */
export function unreadText(list: readonly object[], name: string): string | undefined {
  const [first, ...others] = unreadOf(list);
  if (first === undefined) return undefined;
  const of = `${first.where}: ${first.unread}`;
  if (others.length === 0) return `1 of ${list.length} ${name} cannot be read and does not count (${of})`;
  return `${others.length + 1} of ${list.length} ${name} cannot be read and do not count, such as ${of}`;
}
