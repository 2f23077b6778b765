/** The changes of a save: the request to send, and rows to show before. Pure. */
import { isObject, type Json, objectOf } from '../../core/json.ts';

export interface SettingChange {
  /** Path of the changed value, such as `typoTolerance.enabled`. */
  readonly what: string;
  /** null = absent. */
  readonly before: string | null;
  readonly after: string | null;
}

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Names of settings whose draft differs from the stored value. */
export const changedSettings = (stored: Json, draft: Json): readonly string[] =>
  Object.keys(draft).filter((name) => !isSame(stored[name], draft[name]));

/** Settings whose members the server merges, at any depth. */
const MERGED = new Set(['embedders', 'rerankers', 'chat']);

/** The body of `PATCH /settings`: changed settings; members that are merged there become null. */
export const updateOf = (stored: Json, draft: Json): Json =>
  Object.fromEntries(
    changedSettings(stored, draft).map((name) => [
      name,
      MERGED.has(name) ? mergePatch(stored[name], draft[name]) : draft[name],
    ]),
  );

/** Changed members, with null for removed ones. An embedder with another source is sent whole. */
function mergePatch(stored: unknown, draft: unknown): unknown {
  if (!isObject(stored) || !isObject(draft) || stored['source'] !== draft['source']) return draft;
  const names = new Set([...Object.keys(stored), ...Object.keys(draft)]);
  return Object.fromEntries(
    [...names]
      .filter((name) => !isSame(stored[name], draft[name]))
      .map((name) => [name, patchOfMember(name, stored[name], draft[name])]),
  );
}

/** Values that the server replaces as a whole. */
const REPLACED = new Set([
  'request',
  'response',
  'headers',
  'indexingFragments',
  'searchFragments',
  'distribution',
]);

const patchOfMember = (name: string, stored: unknown, draft: unknown): unknown =>
  draft === undefined ? null : REPLACED.has(name) ? draft : mergePatch(stored, draft);

const textOf = (value: unknown): string | null =>
  value === undefined ? null : typeof value === 'string' ? value : JSON.stringify(value);

/** The differences of two values; a reset has its default as `after`. */
export function settingChanges(
  what: string,
  before: unknown,
  after: unknown,
): readonly SettingChange[] {
  if (isSame(before, after)) return [];
  if (Array.isArray(before) && Array.isArray(after)) return listChanges(what, before, after);
  if (isObject(before) && isObject(after))
    return [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((name) =>
      settingChanges(`${what}.${name}`, objectOf(before)[name], objectOf(after)[name]),
    );
  return [{ what, before: textOf(before), after: textOf(after) }];
}

/** Added and removed entries, and the new order if the others moved. */
function listChanges(
  what: string,
  before: readonly unknown[],
  after: readonly unknown[],
): readonly SettingChange[] {
  const old = before.map((item) => textOf(item) ?? '');
  const next = after.map((item) => textOf(item) ?? '');
  const [wasThere, isThere] = [new Set(old), new Set(next)];
  const removed = old
    .filter((item) => !isThere.has(item))
    .map((item): SettingChange => ({ what, before: item, after: null }));
  const added = next
    .filter((item) => !wasThere.has(item))
    .map((item): SettingChange => ({ what, before: null, after: item }));
  const order = old.filter((item) => isThere.has(item));
  const asAppended = [...order, ...added.map(({ after: item }) => item)];
  const moved = isSame(asAppended, next)
    ? []
    : [{ what: `${what}, order`, before: old.join(', '), after: next.join(', ') }];
  return [...removed, ...added, ...moved];
}
