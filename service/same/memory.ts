import { areSameItems } from "./keeping-same.ts";

/*
 * The law of this room: the same object says the same. Records, rows, wishes and lists are never changed. What is read
 * anew and equals what was read before becomes the object of before, and only this room says that it does (`keepingSame`,
 * `areSameItems`, says-the-same.ts). So whatever was found out of an object is true of it for ever, if it rests on
 * that object alone; and if it rests on others, too, as long as these are the very same. Another object may say the same:
 * then something is found out twice, and nothing wrong is believed.
 */

/** What a finding rests on beside its object: objects of this law, or plain values such as a version. */
type Grounds = readonly unknown[];

/** What was found out of objects. It holds none of them: what nobody else has is forgotten. */
export interface Memory<Key extends object, Value> {
  /** What was found out of it, if that was on the very same grounds. */
  known(key: Key, grounds: Grounds): Value | undefined;
  keep(key: Key, grounds: Grounds, value: Value): void;
  forget(key: Key): void;
  /** What is known of it, or else is found out, and kept. */
  of(key: Key, grounds: Grounds, find: () => Value): Value;
}

export function createMemory<Key extends object, Value>(): Memory<Key, Value> {
  const found = new WeakMap<Key, { readonly grounds: Grounds; readonly value: Value }>();
  const entry = (key: Key, grounds: Grounds) => {
    const before = found.get(key);
    return before && areSameItems(before.grounds, grounds) ? before : undefined;
  };
  return {
    known: (key, grounds) => entry(key, grounds)?.value,
    keep: (key, grounds, value) => void found.set(key, { grounds, value }),
    forget: (key) => void found.delete(key),
    of(key, grounds, find) {
      const before = entry(key, grounds);
      if (before) return before.value;
      const value = find();
      found.set(key, { grounds, value });
      return value;
    },
  };
}
