/** What a change of settings asks of the vectors that an index has of one embedder. */
import { isDeepStrictEqual } from 'node:util';
import type { EmbedderField, EmbedderSettings } from '../model/embedders/embedder-settings.ts';
import type { Settings } from '../model/settings.ts';
import { fingerprintOf } from './fingerprint.ts';

/**
 * - none: vectors stay as they are
 * - remove: the embedder is gone, its vectors with it
 * - quantize: the vectors become plain bits; nothing is rendered or embedded
 * - render: every document is rendered by the old and the new settings; where an input differs, or
 *   is new, it is embedded
 * - embed: every document that the server embeds is rendered and embedded; vectors that came with
 *   documents stay where they have as many dimensions
 */
export type EmbedderChange =
  | { readonly kind: 'none' | 'remove' | 'quantize' }
  | { readonly kind: 'render' | 'embed'; readonly quantizes: boolean };

/** Members that decide the inputs of documents. */
const RENDERING: readonly EmbedderField[] = [
  'documentTemplate',
  'documentTemplateMaxBytes',
  'indexingFragments',
];

/**
 * @param before undefined = there was no such embedder
 * @param after undefined = there is none any more
 * @param fieldsChange whether fields became searchable or ceased to be, which templates see
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

/** What becomes of each embedder, of before and after. */
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

/** Names of embedders whose vectors have to be made anew from documents. */
export const remadeEmbedders = (before: Settings, after: Settings): string[] =>
  [...embedderChanges(before, after)].flatMap(([name, { kind }]) =>
    kind === 'embed' || kind === 'render' ? [name] : [],
  );
