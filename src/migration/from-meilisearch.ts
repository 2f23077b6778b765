/**
 * Converts Meilisearch indexes from its API or a dump: the settings are the same, except for a few.
 */

import { isObject, type Json } from '../core/json.ts';
import { KEY_ACTIONS } from '../model/actions.ts';
import { settingSchemas } from '../model/schemas/settings-schema.ts';
import { DEFAULT_SETTINGS, type Settings, withNewName } from '../model/settings.ts';
import type { MappedIndex, MigrationNote } from './mapped-index.ts';

interface MeilisearchIndex {
  readonly uid: string;
  readonly primaryKey: string | null;
  readonly settings: Json;
}

/** API keys of embedding providers by embedder name, because the API masks them. */
export type EmbedderKeys = Readonly<Record<string, string>>;

/** The API's placeholder for a secret. */
const isMasked = (text: unknown): boolean => typeof text === 'string' && /X{3,}\.\.\.$/.test(text);

/** @param keys API keys for embedders whose key is masked */
export function mapMeilisearchIndex(index: MeilisearchIndex, keys: EmbedderKeys): MappedIndex {
  const settings: Record<string, unknown> = {};
  const notes: MigrationNote[] = [];
  for (const [name, value] of Object.entries(index.settings)) {
    if (isDefault(name, value)) continue;
    if (!Object.hasOwn(settingSchemas, name)) {
      notes.push({ name, message: 'is an unknown setting' });
    } else if (name === 'embedders' && isObject(value)) {
      settings[name] = embeddersWithKeys(value, keys, notes);
    } else if (name === 'rerankers' && isObject(value)) {
      settings[name] = rerankersWithSecrets(value, notes);
    } else settings[name] = withNewName(name, value);
  }
  return { uid: index.uid, primaryKey: index.primaryKey, settings, notes };
}

/** An empty list is not the default of each setting: no displayed attribute hides all. */
const isDefault = (name: string, value: unknown): boolean =>
  value === null ||
  JSON.stringify(value) === JSON.stringify(DEFAULT_SETTINGS[name as keyof Settings]);

function embeddersWithKeys(embedders: Json, keys: EmbedderKeys, notes: MigrationNote[]): Json {
  const whole = Object.entries(embedders).flatMap(([name, embedder]) => {
    if (!isObject(embedder)) return [];
    const apiKey = keys[name];
    const filled = { ...embedder, ...(apiKey !== undefined && { apiKey }) };
    if (!holdsMasked(filled)) return [[name, filled] as const];
    const message =
      'is omitted, because its API key is masked: set it with --embedder-keys, or add the embedder afterwards; vectors in documents stay';
    notes.push({ name: `embedder ${name}`, message });
    return [];
  });
  return Object.fromEntries(whole);
}

function rerankersWithSecrets(rerankers: Json, notes: MigrationNote[]): Json {
  const whole = Object.entries(rerankers).filter(([name, reranker]) => {
    if (!isObject(reranker) || !holdsMasked(reranker)) return true;
    const message = 'is omitted, because its API key is masked: add the reranker afterwards';
    notes.push({ name: `reranker ${name}`, message });
    return false;
  });
  return Object.fromEntries(whole);
}

function holdsMasked(embedder: Json): boolean {
  const { apiKey, headers, searchEmbedder, indexingEmbedder } = embedder;
  const secrets = [apiKey, ...(isObject(headers) ? Object.values(headers) : [])];
  return (
    secrets.some(isMasked) ||
    [searchEmbedder, indexingEmbedder].some((half) => isObject(half) && holdsMasked(half))
  );
}

/** Request body that creates a key; null if the key cannot be migrated. */
interface MappedKey {
  readonly draft: Json | null;
  readonly notes: readonly MigrationNote[];
}

/**
 * Copies a key without its value, under the same uid: with the same master key its value is the
 * same.
 */
export function mapKey(key: Json, now: number): MappedKey {
  const { uid, description = null, actions, indexes = ['*'], expiresAt = null } = key;
  const { name = null, requestsPerSecond } = key;
  const about = `key ${String(name ?? uid)}`;
  const asked = Array.isArray(actions) ? actions.map(String) : [];
  const kept = asked.filter((action) => KEY_ACTIONS.includes(action));
  const notes = asked
    .filter((action) => !KEY_ACTIONS.includes(action))
    .map((action) => ({ name: about, message: `loses the action \`${action}\`, unknown here` }));
  if (typeof expiresAt === 'string' && Date.parse(expiresAt) <= now)
    return { draft: null, notes: [{ name: about, message: 'has expired and is left out' }] };
  if (kept.length === 0)
    return { draft: null, notes: [...notes, { name: about, message: 'is left out' }] };
  const draft = { uid, name, description, actions: kept, indexes, expiresAt };
  return {
    draft: requestsPerSecond === undefined ? draft : { ...draft, requestsPerSecond },
    notes,
  };
}
