/**
 * Identifies the settings that decide document vectors: equal fingerprints, equal vectors for equal
 * inputs.
 */
import { createHash } from 'node:crypto';
import type { EmbedderField, EmbedderSettings } from '../model/embedders/embedder-settings.ts';
import type { EmbeddingInput } from './embedder.ts';

/**
 * API keys are left out, so a new key costs no embedding. Settings that decide only the inputs or
 * the storage of vectors are left out too.
 */
const DECIDING: readonly (EmbedderField | 'source')[] = [
  'source',
  'url',
  'model',
  'revision',
  'pooling',
  'dimensions',
  'request',
  'response',
];

export function fingerprintOf(settings: EmbedderSettings): string {
  const { indexingEmbedder } = settings;
  if (indexingEmbedder !== undefined) return fingerprintOf(indexingEmbedder);
  return digest(JSON.stringify(DECIDING.map((field) => settings[field] ?? null)));
}

/** Key of a vector: hash of the embedder's fingerprint and the input. */
export const contentKey = (fingerprint: string, input: EmbeddingInput): string =>
  digest(
    `${fingerprint}\n${typeof input === 'string' ? `t${input}` : `j${JSON.stringify(input)}`}`,
  );

const digest = (text: string): string => createHash('sha256').update(text).digest('base64url');
