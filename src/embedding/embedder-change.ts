/** Decides which vectors of an index a settings change makes again, and how. */
import { isDeepStrictEqual } from 'node:util';
import type { EmbedderField, EmbedderSettings } from '../model/embedders/embedder-settings.ts';
import type { Settings } from '../model/settings.ts';
import { fingerprintOf } from './fingerprint.ts';

/**
 * How the vectors of an embedder are made again from the documents.
 * - render: every document is rendered by the old and the new settings; an input that differs or is
 *   new is embedded
 * - embed: every document that the server embeds is rendered and embedded; vectors that came with
 *   documents stay if their dimensions match
 */
type Remaking = 'render' | 'embed';

/** Settings that decide the inputs of documents. */
const RENDERING: readonly EmbedderField[] = [
  'documentTemplate',
  'documentTemplateMaxBytes',
  'indexingFragments',
];

/**
 * null = the vectors stay.
 * @param before undefined = the embedder did not exist
 * @param fieldsChange whether the set of searchable fields, which templates can read, changes
 */
export function remakingOf(
  before: EmbedderSettings | undefined,
  after: EmbedderSettings,
  fieldsChange: boolean,
): Remaking | null {
  if (before === undefined || fingerprintOf(before) !== fingerprintOf(after)) return 'embed';
  if (after.source === 'userProvided') return null;
  return rendersOtherwise(before, after, fieldsChange) ? 'render' : null;
}

function rendersOtherwise(
  before: EmbedderSettings,
  after: EmbedderSettings,
  fieldsChange: boolean,
): boolean {
  const [old, current] = [before.indexingEmbedder ?? before, after.indexingEmbedder ?? after];
  if (RENDERING.some((field) => !isDeepStrictEqual(old[field], current[field]))) return true;
  const hasFragments = Object.keys(current.indexingFragments ?? {}).length > 0;
  return fieldsChange && !hasFragments;
}

/** Embedders whose vectors must be made again. */
export function remadeEmbedders(before: Settings, after: Settings): ReadonlyMap<string, Remaking> {
  const fields = (settings: Settings) => JSON.stringify(settings.searchableAttributes);
  const fieldsChange = fields(before) !== fields(after);
  const names = new Set([...Object.keys(before.embedders), ...Object.keys(after.embedders)]);
  const remade = new Map<string, Remaking>();
  for (const name of names) {
    const embedder = after.embedders[name];
    const remaking = embedder && remakingOf(before.embedders[name], embedder, fieldsChange);
    if (remaking) remade.set(name, remaking);
  }
  return remade;
}
