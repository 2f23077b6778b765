/**
 * Searches of small test indexes: texts or documents and settings in, hits with their scores out.
 */
import { Deadline } from '../../src/core/deadline.ts';
import { DEFAULT_SETTINGS, type Settings, type TypoTolerance } from '../../src/model/settings.ts';
import { writeSearchAnswer } from '../../src/search/answer/write-answer.ts';
import { executeSearch } from '../../src/search/execute-search.ts';
import type { IndexSnapshot } from '../../src/search/snapshot/index-snapshot.ts';
import { buildSnapshot, type SourceDocument } from './build-snapshot.ts';
import { type Asked, searchRequest } from './search-request.ts';

export interface LevelDetails {
  readonly order: number;
  readonly [member: string]: unknown;
}

export interface Hit extends SourceDocument {
  readonly id?: unknown;
  readonly _rankingScore?: number;
  readonly _rankingScoreDetails?: Readonly<Record<string, LevelDetails>>;
}

export interface SearchAnswer {
  readonly hits: readonly Hit[];
  readonly [member: string]: unknown;
}

/** The answer as a client reads it. */
export function search(
  snapshot: IndexSnapshot,
  asked: Asked,
  deadline = Deadline.never(),
): SearchAnswer {
  const request = searchRequest(asked);
  const facts = () => ({ requestUid: 'request', processingTimeMs: 0 });
  return JSON.parse(
    new TextDecoder().decode(
      writeSearchAnswer(snapshot, request, executeSearch(snapshot, request, deadline), facts).bytes,
    ),
  );
}

export const searchIds = (snapshot: IndexSnapshot, asked: Asked): unknown[] =>
  search(snapshot, asked).hits.map(({ id }) => id);

/** Score details of every hit by id, in the order of hits. */
export const searchDetails = (
  snapshot: IndexSnapshot,
  asked: Asked,
): Map<unknown, Readonly<Record<string, LevelDetails>>> =>
  new Map(
    search(snapshot, { ...asked, showRankingScoreDetails: true }).hits.map((hit) => [
      hit.id,
      hit._rankingScoreDetails ?? {},
    ]),
  );

/** Scores of every hit by id, in the order of hits. */
export const searchScores = (snapshot: IndexSnapshot, asked: Asked): Map<unknown, number> =>
  new Map(
    search(snapshot, { ...asked, showRankingScore: true }).hits.map((hit) => [
      hit.id,
      hit._rankingScore ?? Number.NaN,
    ]),
  );

/**
 * Hits grouped into the buckets of one rule: ids whose details of that rule agree, in the order of
 * hits.
 */
export function searchBuckets(snapshot: IndexSnapshot, rule: string, asked: Asked): unknown[][] {
  const buckets: { readonly key: string; readonly ids: unknown[] }[] = [];
  for (const [id, details] of searchDetails(snapshot, asked)) {
    const key = JSON.stringify(details[rule]);
    const last = buckets.at(-1);
    if (last?.key === key) last.ids.push(id);
    else buckets.push({ key, ids: [id] });
  }
  return buckets.map(({ ids }) => ids);
}

/** An index of documents `{id, text}`, the ids being the keys. */
export const indexTexts = (
  texts: Readonly<Record<string, unknown>>,
  settings?: Partial<Settings>,
): IndexSnapshot =>
  indexDocuments(
    Object.entries(texts).map(([id, text]) => ({ id, text })),
    { searchableAttributes: ['text'], ...settings },
  );

export const indexDocuments = (
  documents: readonly SourceDocument[],
  settings?: Partial<Settings>,
): IndexSnapshot => buildSnapshot({ documents, settings });

/** Typo settings with some members changed. */
export const typoTolerance = (
  changed: Partial<TypoTolerance>,
): Pick<Settings, 'typoTolerance'> => ({
  typoTolerance: { ...DEFAULT_SETTINGS.typoTolerance, ...changed },
});
