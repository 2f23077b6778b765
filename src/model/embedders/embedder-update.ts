/**
 * Applies an update to a stored embedder: absent members stay, null resets, a new source starts
 * from its defaults.
 */

import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../../core/json.ts';
import { applyMembers, dropMovedSecrets, unmaskedMember } from '../provider-secrets.ts';
import { checkEmbedder, type EmbedderUpdate, refuseEmbedder } from './embedder-check.ts';
import {
  EMBEDDER_DEFAULTS,
  EMBEDDER_FIELDS,
  type EmbedderField,
  type EmbedderPlace,
  type EmbedderSettings,
  type EmbedderSource,
} from './embedder-settings.ts';

type Draft = Record<string, unknown>;

/** Members that determine the dimensions of a model. */
const DIMENSIONS_FOLLOW: Partial<Record<EmbedderSource, readonly EmbedderField[]>> = {
  openAi: ['model'],
  huggingFace: ['model', 'revision'],
  ollama: ['model', 'url'],
  rest: ['url', 'request', 'response'],
};

/**
 * @param update its members were checked one by one; their combination with the stored ones is
 * checked here
 * @param warnings receives one sentence per dropped secret
 * @throws ApiError `invalid_settings_embedders`
 */
export function updateEmbedder(
  name: string,
  stored: EmbedderSettings | undefined,
  update: EmbedderUpdate,
  warnings: string[] = [],
): EmbedderSettings {
  const next = merge(name, stored, update, { place: 'whole', warnings });
  if (stored?.binaryQuantized === true && next.binaryQuantized !== true)
    throw refuseEmbedder(
      `${name}.binaryQuantized`,
      'cannot be turned off: the full vectors are gone; remove the embedder and create it again',
    );
  return next;
}

interface Merge {
  readonly place: EmbedderPlace;
  readonly warnings: string[];
}

function merge(
  path: string,
  stored: EmbedderSettings | undefined,
  update: EmbedderUpdate,
  { place, warnings }: Merge,
): EmbedderSettings {
  const source = (update['source'] ?? stored?.source ?? 'openAi') as EmbedderSource;
  const defaults: Draft = Object.fromEntries(
    Object.entries(EMBEDDER_DEFAULTS[source]).filter(
      ([member]) => !EMBEDDER_FIELDS[member as EmbedderField].notIn?.includes(place),
    ),
  );
  const isSame = stored?.source === source;
  const next: Draft = isSame ? { ...stored } : { source, ...defaults, ...lasting(stored, source) };
  applyMembers(next, update, defaults, (member, before, value) =>
    mergeMember({ path: `${path}.${member}`, warnings }, member, before, value),
  );
  if (isSame) dropMovedSecrets({ path: `embedders.${path}`, stored, update, next, warnings });
  forgetOfOtherModel(next, isSame ? { ...stored } : defaults, source, update);
  checkEmbedder(path, withoutLearnt(next, source), source);
  return next as unknown as EmbedderSettings;
}

/**
 * Removes members that belong to the previous model, such as dimensions and revision. @param before
 * previous members, or defaults
 */
function forgetOfOtherModel(
  next: Draft,
  before: Readonly<Record<string, unknown>>,
  source: EmbedderSource,
  update: EmbedderUpdate,
): void {
  const isGiven = (member: string) => (update[member] ?? null) !== null;
  const differs = (member: string) => !isDeepStrictEqual(before[member], next[member]);
  if (source === 'huggingFace' && !isGiven('revision') && differs('model')) delete next['revision'];
  if (DIMENSIONS_FOLLOW[source]?.some(differs) && !isGiven('dimensions')) delete next['dimensions'];
}

/** Members that are kept when the source changes. */
function lasting(stored: EmbedderSettings | undefined, source: EmbedderSource): Draft {
  const kept = Object.entries(stored ?? {}).filter(([member]) => {
    if (member === 'source') return false;
    const { sources, ofProvider } = EMBEDDER_FIELDS[member as EmbedderField];
    return sources.includes(source) && ofProvider !== true;
  });
  return Object.fromEntries(kept);
}

function mergeMember(
  { path, warnings }: { readonly path: string; readonly warnings: string[] },
  member: string,
  before: unknown,
  value: unknown,
): unknown {
  switch (member) {
    case 'indexingFragments':
    case 'searchFragments': {
      const fragments = Object.entries({ ...(before as object), ...(value as object) });
      return Object.fromEntries(fragments.filter(([, fragment]) => fragment !== null));
    }
    case 'searchEmbedder':
    case 'indexingEmbedder': {
      const stored = isObject(before) ? (before as unknown as EmbedderSettings) : undefined;
      return merge(path, stored, value as EmbedderUpdate, { place: member, warnings });
    }
    default:
      return unmaskedMember(member, before, value);
  }
}

/** Members without the dimensions of a local model, which only the model determines. */
function withoutLearnt({ dimensions, ...embedder }: Draft, source: EmbedderSource): Draft {
  if (!EMBEDDER_FIELDS.dimensions.sources.includes(source)) return embedder;
  return dimensions === undefined ? embedder : { ...embedder, dimensions };
}
