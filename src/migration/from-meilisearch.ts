/** Indexes of Meilisearch, as its API or a dump tells of them: the same settings, but for a few. */

import { type SettingName, settingSchemas } from '../model/schemas/settings-schema.ts';
import { isJson, type MappedIndex, type Members, type MigrationNote } from './mapped-index.ts';

export interface MeilisearchIndex {
  readonly uid: string;
  readonly primaryKey: string | null;
  readonly settings: Members;
}

/** Keys of embedding providers by name of the embedder: the API does not tell them. */
export type EmbedderKeys = Readonly<Record<string, string>>;

/** Values that have other names since 1.9. */
const RENAMED: Readonly<Record<string, string>> = {
  wordScale: 'byWord',
  attributeScale: 'byAttribute',
};

/** What the API shows of a secret. */
const isMasked = (text: unknown): boolean => typeof text === 'string' && /X{3,}\.\.\.$/.test(text);

/** @param keys for embedders whose key is masked */
export function mapMeilisearchIndex(index: MeilisearchIndex, keys: EmbedderKeys): MappedIndex {
  const settings: Record<string, unknown> = {};
  const notes: MigrationNote[] = [];
  for (const [name, value] of Object.entries(index.settings)) {
    if (value === null || isEmpty(value)) continue;
    if (!Object.hasOwn(settingSchemas, name)) {
      notes.push({ name, message: 'is a setting that is unknown here' });
    } else if (name === 'embedders' && isJson(value)) {
      settings[name] = embeddersWithKeys(value, keys, notes);
    } else settings[name] = renamed(name as SettingName, value);
  }
  return { uid: index.uid, primaryKey: index.primaryKey, settings, notes };
}

const isEmpty = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && Object.keys(value).length === 0;

const renamed = (name: SettingName, value: unknown): unknown =>
  name === 'proximityPrecision' && typeof value === 'string' ? (RENAMED[value] ?? value) : value;

function embeddersWithKeys(
  embedders: Members,
  keys: EmbedderKeys,
  notes: MigrationNote[],
): Members {
  const whole = Object.entries(embedders).flatMap(([name, embedder]) => {
    if (!isJson(embedder)) return [];
    const apiKey = keys[name];
    const filled = { ...embedder, ...(apiKey !== undefined && { apiKey }) };
    if (!holdsMasked(filled)) return [[name, filled] as const];
    const message =
      'is left out, because its secrets are not told: give its key in --embedder-keys, or declare it here; the vectors in documents stay';
    notes.push({ name: `embedder ${name}`, message });
    return [];
  });
  return Object.fromEntries(whole);
}

function holdsMasked(embedder: Members): boolean {
  const { apiKey, headers, searchEmbedder, indexingEmbedder } = embedder;
  const secrets = [apiKey, ...(isJson(headers) ? Object.values(headers) : [])];
  return (
    secrets.some(isMasked) ||
    [searchEmbedder, indexingEmbedder].some((half) => isJson(half) && holdsMasked(half))
  );
}

/** What is sent to make a key; null when nothing of it can be had here. */
export interface MappedKey {
  readonly draft: Members | null;
  readonly notes: readonly MigrationNote[];
}

/**
 * A key without its value, under the same uid: its value is the same where the master key is.
 * @param known actions that keys may have here
 */
export function mapKey(key: Members, known: readonly string[], now: number): MappedKey {
  const { uid, description = null, actions, indexes = ['*'], expiresAt = null } = key;
  const name = key['name'] ?? null;
  const about = `key ${String(name ?? uid)}`;
  const asked = Array.isArray(actions) ? actions.map(String) : [];
  const kept = asked.filter((action) => known.includes(action));
  const notes = asked
    .filter((action) => !known.includes(action))
    .map((action) => ({ name: about, message: `loses the action \`${action}\`, unknown here` }));
  if (typeof expiresAt === 'string' && Date.parse(expiresAt) <= now)
    return { draft: null, notes: [{ name: about, message: 'has expired and is left out' }] };
  if (kept.length === 0)
    return { draft: null, notes: [...notes, { name: about, message: 'is left out' }] };
  return { draft: { uid, name, description, actions: kept, indexes, expiresAt }, notes };
}
