/**
 * Lists with values that other servers lack. These servers refuse a dump with such a value, but ignore
 * members that they lack: so the list is without the value, and the whole list is a member of its own.
 */
import type { Json } from '../../core/json.ts';

export interface ExtendedList {
  /** Member with the list. */
  readonly name: string;
  /** Member with the whole list; absent if `name` has all values. */
  readonly wholeName: string;
  readonly isAdded: (value: unknown) => boolean;
}

export function dumpedList(members: Json, { name, wholeName, isAdded }: ExtendedList): Json {
  const whole = members[name];
  if (!Array.isArray(whole) || !whole.some(isAdded)) return members;
  return { ...members, [name]: whole.filter((value) => !isAdded(value)), [wholeName]: whole };
}

/** The reverse of `dumpedList`. */
export function readList(dumped: Json, { name, wholeName }: ExtendedList): Json {
  const { [wholeName]: whole, ...members } = dumped;
  return Array.isArray(whole) ? { ...members, [name]: whole } : members;
}
