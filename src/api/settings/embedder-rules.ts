/** Checks embedders of one request: members, required features, URLs, templates. */
import { ShapeError } from '../../core/rest-shape.ts';
import { restShapes } from '../../embedding/providers/provider-profile.ts';
import { documentContent, queryContent } from '../../embedding/templates/embedded-content.ts';
import { TemplateError } from '../../embedding/templates/liquid-engine.ts';
import {
  checkEmbedder,
  type EmbedderUpdate,
  partsOf,
  refuseEmbedder,
} from '../../model/embedders/embedder-check.ts';
import { COMPOSITE_PARTS, type EmbedderSettings } from '../../model/embedders/embedder-settings.ts';
import type { Features } from '../../model/features.ts';
import { checkProviderCount, checkProviderUrl } from '../../model/provider-check.ts';
import { requireFeature } from '../contract/require-feature.ts';

export type EmbedderFeatures = Pick<Features, 'compositeEmbedders' | 'multimodal'>;

const FRAGMENTS = ['indexingFragments', 'searchFragments'] as const;

/**
 * @param embedders by name, as given in one request; null = removed
 * @throws ApiError `invalid_settings_embedders`, `feature_not_enabled`
 */
export function checkEmbedders(
  embedders: Readonly<Record<string, EmbedderUpdate | null>>,
  features: EmbedderFeatures,
): void {
  const entries = Object.entries(embedders);
  checkProviderCount('embedders', entries.length, 'holds');
  for (const [name, embedder] of entries) {
    if (embedder === null) continue;
    requireFeatures(name, embedder, features);
    checkEmbedder(name, embedder);
    checkContents(name, embedder);
  }
}

function requireFeatures(path: string, embedder: EmbedderUpdate, features: EmbedderFeatures): void {
  const isComposite =
    embedder['source'] === 'composite' || COMPOSITE_PARTS.some((part) => embedder[part]);
  const what = `\`embedders.${path}\``;
  if (isComposite) requireFeature(features, 'compositeEmbedders', what);
  if (FRAGMENTS.some((member) => embedder[member])) requireFeature(features, 'multimodal', what);
  for (const [part, own] of partsOf(embedder)) requireFeatures(`${path}.${part}`, own, features);
}

function checkContents(path: string, embedder: EmbedderUpdate): void {
  checkProviderUrl('embedders', path, embedder['url']);
  checkTemplates(path, embedder);
  for (const [part, own] of partsOf(embedder)) checkContents(`${path}.${part}`, own);
}

/** Reset members have no templates; a request and its response are checked if both are given. */
function checkTemplates(path: string, embedder: EmbedderUpdate): void {
  const given = Object.fromEntries(
    Object.entries(embedder).filter(([name, value]) => {
      return value !== null && !(COMPOSITE_PARTS as readonly string[]).includes(name);
    }),
  );
  const settings = withoutResetFragments(given) as unknown as EmbedderSettings;
  try {
    documentContent(settings);
    queryContent(settings);
    if (settings.source === 'rest' && !needsStoredFragments(embedder)) restShapes(settings);
  } catch (error) {
    if (error instanceof TemplateError)
      throw refuseEmbedder(path, `has a template that does not parse: ${error.message}`);
    if (error instanceof ShapeError) throw refuseEmbedder(path, `does not fit: ${error.message}`);
    throw error;
  }
}

/** A request that uses fragments combines with stored ones if the update has none. */
const needsStoredFragments = (embedder: EmbedderUpdate): boolean =>
  FRAGMENTS.every((member) => embedder[member] === undefined) &&
  JSON.stringify(embedder['request']).includes('"{{fragment}}"');

function withoutResetFragments(embedder: EmbedderUpdate): EmbedderUpdate {
  const kept = FRAGMENTS.flatMap((member) => {
    const fragments = Object.entries((embedder[member] ?? {}) as object);
    return [[member, Object.fromEntries(fragments.filter(([, fragment]) => fragment !== null))]];
  });
  return { ...embedder, ...Object.fromEntries(kept) };
}
