/** Cache of analyzers in one indexing thread, by their settings. */
import { LruMap } from '../../core/lru-map.ts';
import { type Analyzer, createAnalyzer } from '../../engine/analysis/analyzer.ts';
import type { AnalyzerSettings } from '../../engine/analysis/tokens/token.ts';

const ANALYZERS_MAX = 8;

export class AnalyzerCache {
  readonly #analyzers = new LruMap<string, Analyzer>(ANALYZERS_MAX);

  of(settings: AnalyzerSettings): Analyzer {
    const { stopWords, separatorTokens, nonSeparatorTokens, dictionary } = settings;
    const key = JSON.stringify([stopWords, separatorTokens, nonSeparatorTokens, dictionary]);
    return this.#analyzers.getOrMake(key, () =>
      createAnalyzer({ stopWords, separatorTokens, nonSeparatorTokens, dictionary }),
    );
  }
}
