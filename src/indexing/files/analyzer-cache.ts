/** Cache of analyzers in one indexing thread, by their settings. */
import { LRUCache } from 'lru-cache';
import { type Analyzer, createAnalyzer } from '../../engine/analysis/analyzer.ts';
import type { AnalyzerSettings } from '../../engine/analysis/tokens/token.ts';

const ANALYZERS_MAX = 8;

export class AnalyzerCache {
  readonly #analyzers = new LRUCache<string, Analyzer, AnalyzerSettings>({
    max: ANALYZERS_MAX,
    memoMethod: (_key, _stale, { context }) => createAnalyzer(context),
  });

  of(settings: AnalyzerSettings): Analyzer {
    const { stopWords, separatorTokens, nonSeparatorTokens, dictionary } = settings;
    const context = { stopWords, separatorTokens, nonSeparatorTokens, dictionary };
    return this.#analyzers.memo(JSON.stringify(context), { context });
  }
}
