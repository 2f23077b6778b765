/**
 * Embedders and rerankers for answers and tasks: secrets are masked, and members that requests must
 * not contain are removed.
 */
import { isObject } from '../core/json.ts';
import { COMPOSITE_PARTS } from './embedders/embedder-settings.ts';
import { maskedMember } from './provider-secrets.ts';

/** @param providers embedders or rerankers by name; null = reset */
export function maskedProviders(providers: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(providers).map(([name, provider]) => [name, masked(provider)]),
  );
}

/**
 * Masked, with the empty `headers` that the source `rest` has by default, and without the document
 * template where fragments take its place.
 */
export const shownEmbedders = (embedders: object): Record<string, unknown> =>
  maskedProviders(
    Object.fromEntries(
      Object.entries(embedders).map(([name, embedder]) => [name, inEffect(embedder)]),
    ),
  );

function inEffect(embedder: unknown): unknown {
  if (!isObject(embedder)) return embedder;
  const { documentTemplate, documentTemplateMaxBytes, ...others } = embedder;
  const hasFragments = Object.keys(embedder['indexingFragments'] ?? {}).length > 0;
  const parts = COMPOSITE_PARTS.filter((part) => embedder[part] !== undefined);
  const complete = Object.fromEntries(parts.map((part) => [part, inEffect(embedder[part])]));
  return {
    ...(embedder['source'] === 'rest' && { headers: {} }),
    ...(hasFragments ? others : embedder),
    ...complete,
  };
}

function masked(provider: unknown): unknown {
  if (!isObject(provider)) return provider;
  // Dimensions of a local model come from the model; requests with them are refused.
  const isLearnt = (member: string) =>
    member === 'dimensions' && provider['source'] === 'huggingFace';
  return Object.fromEntries(
    Object.entries(provider).flatMap(([member, value]) =>
      isLearnt(member) ? [] : [[member, maskedPart(member, value)]],
    ),
  );
}

const maskedPart = (member: string, value: unknown): unknown =>
  COMPOSITE_PARTS.some((part) => part === member) ? masked(value) : maskedMember(member, value);
