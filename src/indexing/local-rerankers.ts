/** Tries the models of rerankers when they are declared; the first try fetches missing files. */
import { isDeepStrictEqual } from 'node:util';
import type { ApiError } from '../core/errors.ts';
import { EmbeddingError } from '../embedding/embedder.ts';
import { refuseReranker } from '../model/reranker-update.ts';
import type { ScorePairs } from '../model/score-pairs.ts';
import type { Settings } from '../model/settings.ts';

type Rerankers = Settings['rerankers'];

/** One after the other, because few models are in memory at a time. @throws ApiError */
export async function tryLocalRerankers(
  next: Rerankers,
  stored: Rerankers,
  scorePairs: ScorePairs,
  signal: AbortSignal,
): Promise<void> {
  for (const [name, reranker] of Object.entries(next)) {
    const { source, model = '', revision } = reranker;
    const before = Object.hasOwn(stored, name) ? stored[name] : undefined;
    const isKnown = isDeepStrictEqual(
      [source, model, revision],
      [before?.source, before?.model, before?.revision],
    );
    if (source !== 'huggingFace' || isKnown) continue;
    try {
      await scorePairs(reranker, 'a query', ['a text'], signal);
    } catch (error) {
      throw error instanceof EmbeddingError ? refusal(name, error) : error;
    }
  }
}

const refusal = (name: string, { message }: EmbeddingError): ApiError =>
  refuseReranker(`${name}.model`, `cannot be used: ${message}`);
