/** `rerank` in searches: the first hits in the order of a reranker of the index. */
import { mapInParallel } from '../../core/bounded-parallel.ts';
import type { Requester } from '../../core/caller.ts';
import { ApiError, toEnvelope } from '../../core/errors.ts';
import { isGiven } from '../../core/is-given.ts';
import { limits } from '../../core/limits.ts';
import { withoutHosts } from '../../http-client/outgoing-error.ts';
import type { FederatedHit } from '../../model/federation.ts';
import type { RerankerSettings } from '../../model/reranker-settings.ts';
import type { SearchBody } from '../../model/schemas/search-schema.ts';
import type { Rerank, SearchRequest } from '../../model/search.ts';
import type { Settings } from '../../model/settings.ts';
import { RerankError } from '../../rerank/rerank-service.ts';
import {
  finishedAnswer,
  pendingAnswer,
  rerankedOrder,
  textsToRank,
} from '../../rerank/reranked-answer.ts';
import type { Scores } from '../../rerank/search-hits.ts';
import type { ApiContext } from '../contract/context.ts';
import { requireProvider } from './require-provider.ts';

const CODE = 'invalid_search_rerank';

/** null if not given. @throws ApiError `invalid_search_rerank` */
export function parseRerank(
  { rerank, diversity, useNetwork }: Pick<SearchBody, 'rerank' | 'diversity' | 'useNetwork'>,
  settings: Settings,
): Rerank | null {
  if (!isGiven(rerank)) return null;
  const { reranker, topN = limits.rerankDefault } = rerank;
  if (isGiven(diversity))
    throw new ApiError(
      CODE,
      '`rerank` and `diversity` exclude each other, because each of them orders the first hits; give one of them.',
    );
  if (useNetwork === true)
    throw new ApiError(
      CODE,
      '`rerank` is not possible with `useNetwork`, because documents are read within one instance. Leave one of them out.',
    );
  const { documentTemplate, documentTemplateMaxBytes } = requireReranker(settings, reranker);
  return { reranker, topN, documentTemplate, documentTemplateMaxBytes };
}

const requireReranker = ({ rerankers }: Settings, name: string): RerankerSettings =>
  requireProvider('Reranker', rerankers, name, CODE);

interface NumberedText {
  readonly number: number;
  readonly text: string;
  readonly query: string;
  readonly settings: RerankerSettings;
}

interface RankedTexts {
  readonly scores: Scores;
  /** JSON of the error that answers show; null = none. */
  readonly failure: string | null;
}

/** Concurrent requests for one search: one for each query and index. */
const PARALLEL_MAX = 8;

/** If the reranker fails, there are no scores. */
async function rankTexts(
  { rerankers }: Pick<ApiContext, 'rerankers'>,
  name: string,
  texts: readonly NumberedText[],
  signal: AbortSignal | undefined,
): Promise<RankedTexts> {
  const groups = new Map<string, NumberedText[]>();
  for (const text of texts) {
    const key = JSON.stringify([text.settings, text.query]);
    groups.set(key, [...(groups.get(key) ?? []), text]);
  }
  const scores = new Map<number, number>();
  try {
    await mapInParallel([...groups.values()], PARALLEL_MAX, async (group) => {
      const [first] = group;
      if (first === undefined) return;
      const { settings, query } = first;
      const question = { query, texts: group.map(({ text }) => text), signal };
      const found = await rerankers.scores(settings, question);
      for (const [at, { number }] of group.entries()) {
        const score = found[at];
        if (score !== undefined && Number.isFinite(score)) scores.set(number, score);
      }
    });
    return { scores, failure: null };
  } catch (error) {
    if (!(error instanceof RerankError)) throw error;
    return { scores: new Map(), failure: JSON.stringify(failureOf(name, error)) };
  }
}

const failureOf = (name: string, { message }: RerankError) =>
  toEnvelope({
    code: 'reranking_error',
    message: `The reranker \`${name}\` gave no order, so hits keep theirs: ${withoutHosts(message)}`,
  });

interface AnsweredRequest {
  /** Of the searched index. */
  readonly settings: Settings;
  readonly request: SearchRequest;
  readonly answer: Uint8Array;
}

/**
 * The answer with its first hits reordered; the same answer without `rerank`. If the reranker fails,
 * the order stays and the answer says why.
 */
export async function withRerankedHits(
  context: Pick<ApiContext, 'rerankers' | 'clock'>,
  { settings, request, answer }: AnsweredRequest,
  caller: Pick<Requester, 'signal'>,
): Promise<Uint8Array> {
  const { rerank, q, showRankingScore: showsScores } = request;
  if (rerank === null) return answer;
  const startMs = context.clock.monotonic();
  const pending = pendingAnswer(answer);
  const reranker = requireReranker(settings, rerank.reranker);
  const texts = textsToRank(pending.input.documents).map((numbered) => {
    return { ...numbered, query: q ?? '', settings: reranker };
  });
  const ranked = await rankTexts(context, rerank.reranker, texts, caller.signal);
  const spentMs = context.clock.monotonic() - startMs;
  return finishedAnswer(pending, { ...ranked, showsScores, spentMs });
}

/** Orders the merged hits of a federated search. */
export interface FederatedRerank {
  readonly topN: number;
  /** True if hits of the query at the position show their score. */
  readonly showsScore: (position: number) => boolean;
  readonly rank: (
    hits: readonly Pick<FederatedHit, 'position' | 'pin' | 'rerankText'>[],
  ) => Promise<RankedTexts & { readonly order: readonly number[] }>;
}

interface RerankedQuery {
  /** Of its index. */
  readonly settings: Settings | undefined;
  readonly q: string;
  readonly showsScore: boolean;
}

/**
 * Each hit is scored for its own query, by the reranker of its own index.
 * @param queries by position
 */
export function rerankOfFederation(
  context: Pick<ApiContext, 'rerankers'>,
  { reranker: name, topN = limits.rerankDefault }: NonNullable<SearchBody['rerank']>,
  queries: readonly RerankedQuery[],
  { signal }: Pick<Requester, 'signal'>,
): FederatedRerank {
  return {
    topN,
    showsScore: (position) => queries[position]?.showsScore === true,
    async rank(hits) {
      const texts = hits.flatMap(({ position, pin, rerankText: text }, number): NumberedText[] => {
        const query = queries[position];
        if (text === undefined || pin !== null || number >= topN) return [];
        if (query?.settings === undefined) return [];
        const settings = requireReranker(query.settings, name);
        return [{ number, text, query: query.q, settings }];
      });
      const ranked = await rankTexts(context, name, texts, signal);
      const documents = hits.map(({ pin }) => ({ isFixed: pin !== null }));
      return { ...ranked, order: rerankedOrder(documents, ranked.scores) };
    },
  };
}
