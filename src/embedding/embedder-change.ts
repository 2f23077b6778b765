/** Decides the effect of a settings change on an index's vectors of one embedder. */
import { isDeepStrictEqual } from 'node:util';
import type { EmbedderField, EmbedderSettings } from '../model/embedders/embedder-settings.ts';
import type { Settings } from '../model/settings.ts';
import { fingerprintOf } from './fingerprint.ts';

/**
 * - none: vectors stay as they are
 * - remove: the embedder is removed with its vectors
 * - quantize: the vectors are binary quantized; nothing is rendered or embedded
 * - render: every document is rendered by the old and the new settings; an input that differs or is
 *   new is embedded
 * - embed: every document that the server embeds is rendered and embedded; vectors that came with
 *   documents stay if their dimensions match
 */
export type EmbedderChange =
  | { readonly kind: 'none' | 'remove' | 'quantize' }
  | { readonly kind: 'render' | 'embed'; readonly quantizes: boolean };

/** Settings that decide the inputs of documents. */
const RENDERING: readonly EmbedderField[] = [
  'documentTemplate',
  'documentTemplateMaxBytes',
  'indexingFragments',
];

/**
 * @param before undefined = the embedder did not exist
 * @param after undefined = the embedder was removed
 * @param fieldsChange whether the set of searchable fields, which templates can read, changes
 */
export function embedderChange(
  before: EmbedderSettings | undefined,
  after: EmbedderSettings | undefined,
  fieldsChange: boolean,
): EmbedderChange {
  if (after === undefined) return { kind: before === undefined ? 'none' : 'remove' };
  const quantizes = after.binaryQuantized === true && before?.binaryQuantized !== true;
  if (before === undefined || fingerprintOf(before) !== fingerprintOf(after))
    return { kind: 'embed', quantizes };
  if (after.source !== 'userProvided' && rendersOtherwise(before, after, fieldsChange))
    return { kind: 'render', quantizes };
  return { kind: quantizes ? 'quantize' : 'none' };
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

export function embedderChanges(
  before: Settings,
  after: Settings,
): ReadonlyMap<string, EmbedderChange> {
  const fields = (settings: Settings) => JSON.stringify(settings.searchableAttributes);
  const fieldsChange = fields(before) !== fields(after);
  const names = new Set([...Object.keys(before.embedders), ...Object.keys(after.embedders)]);
  return new Map(
    [...names].map((name) => [
      name,
      embedderChange(before.embedders[name], after.embedders[name], fieldsChange),
    ]),
  );
}

/** Names of embedders whose vectors must be regenerated from documents. */
export const remadeEmbedders = (before: Settings, after: Settings): string[] =>
  [...embedderChanges(before, after)].flatMap(([name, { kind }]) =>
    kind === 'embed' || kind === 'render' ? [name] : [],
  );
