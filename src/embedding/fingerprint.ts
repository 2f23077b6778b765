/** Names what decides the vectors of documents: equal names, equal vectors for equal inputs. */
import { createHash } from 'node:crypto';
import type { EmbedderField, EmbedderSettings } from '../model/embedders/embedder-settings.ts';
import type { EmbeddingInput } from './embedder.ts';

/**
 * Keys are left out, so that a new one costs nothing; so is all that decides the inputs or what
 * becomes of the vectors.
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

/** Address of a vector: of the embedder and the input that it came from. */
export const contentKey = (fingerprint: string, input: EmbeddingInput): string =>
  digest(
    `${fingerprint}\n${typeof input === 'string' ? `t${input}` : `j${JSON.stringify(input)}`}`,
  );

const digest = (text: string): string => createHash('sha256').update(text).digest('base64url');
