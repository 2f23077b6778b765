/** A reranker whose model runs in this server, asked as a service is. */
import { unlessAborted } from '../core/unless-aborted.ts';
import type { RerankerSettings } from '../model/reranker-settings.ts';
import type { ScorePairs } from '../model/score-pairs.ts';
import { RerankError, type RerankService } from './rerank-service.ts';

export const localService = (
  settings: RerankerSettings,
  scorePairs: ScorePairs,
): Pick<RerankService, 'scores'> => ({
  async scores(query, texts, signal, timeoutMs = settings.timeoutMs) {
    const inTime = AbortSignal.timeout(Math.max(0, Math.ceil(timeoutMs)));
    const ends = signal === undefined ? inTime : AbortSignal.any([signal, inTime]);
    try {
      return await unlessAborted(scorePairs(settings, query, texts, ends), ends);
    } catch (error) {
      if (signal?.aborted === true) throw signal.reason;
      const said = error instanceof Error ? error.message : String(error);
      const message = inTime.aborted ? 'the model did not answer in time' : said;
      throw new RerankError(message, { isOutage: true });
    }
  },
});
