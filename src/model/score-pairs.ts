/** A local cross-encoder: rerankers of searches ask it, and settings tasks try it. */
import type { RerankerSettings } from './reranker-settings.ts';

/**
 * Scores from 0 to 1, by number of the text. Rejects with `EmbeddingError`, or with the reason of the
 * signal; may be late, because a thread that calculates hears of the signal afterwards.
 */
export type ScorePairs = (
  model: Pick<RerankerSettings, 'model' | 'revision'>,
  query: string,
  texts: readonly string[],
  signal: AbortSignal,
) => Promise<Float64Array>;
