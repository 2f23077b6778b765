/** Scores of texts for a query by a cross-encoder that runs in an embedding thread. */
import type { EmbedderSettings } from '../../model/embedders/embedder-settings.ts';
import type { ScorePairs } from '../../model/score-pairs.ts';
import { askThread, type RunInThread } from './ask-thread.ts';

export const threadPairScores =
  (run: RunInThread): ScorePairs =>
  ({ model = '', revision }, query, texts, signal) => {
    const settings: EmbedderSettings = {
      source: 'huggingFace',
      model,
      ...(revision !== undefined && { revision }),
    };
    return askThread(run, 'score', { settings, query, texts }, { signal });
  };
