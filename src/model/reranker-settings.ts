/** Stored settings of a reranker: which service or model orders the first hits of a search. */
import type { ProviderField } from './provider-check.ts';

export const RERANKER_SOURCES = ['cohere', 'jina', 'voyage', 'rest', 'huggingFace'] as const;
export type RerankerSource = (typeof RERANKER_SOURCES)[number];

/** Members that do not apply to the source are absent. */
export interface RerankerSettings {
  readonly source: RerankerSource;
  readonly url?: string;
  readonly apiKey?: string;
  readonly model?: string;
  readonly revision?: string;
  readonly request?: unknown;
  readonly response?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly documentTemplate: string;
  readonly documentTemplateMaxBytes: number;
  /** Of all requests of one search together. */
  readonly timeoutMs: number;
}

export type RerankerField = Exclude<keyof RerankerSettings, 'source'>;

const NAMED: readonly RerankerSource[] = ['cohere', 'jina', 'voyage'];
const REMOTE: readonly RerankerSource[] = [...NAMED, 'rest'];

export const RERANKER_FIELDS: Readonly<Record<RerankerField, ProviderField<RerankerSource>>> = {
  url: { sources: REMOTE, mandatoryFor: ['rest'] },
  apiKey: { sources: REMOTE },
  model: { sources: [...NAMED, 'huggingFace'], mandatoryFor: ['huggingFace'] },
  revision: { sources: ['huggingFace'] },
  request: { sources: ['rest'], mandatoryFor: ['rest'] },
  response: { sources: ['rest'], mandatoryFor: ['rest'] },
  headers: { sources: ['rest'] },
  documentTemplate: { sources: RERANKER_SOURCES },
  documentTemplateMaxBytes: { sources: RERANKER_SOURCES },
  timeoutMs: { sources: RERANKER_SOURCES },
};

/** About the 512 tokens that common models read of a text. */
export const RERANKER_TEXT_BYTES = 2000;
export const RERANKER_TEXT_BYTES_MAX = 32_768;
export const RERANKER_TIMEOUT_MS = 2000;
export const RERANKER_TIMEOUT_MS_MAX = 60_000;

/** URL and model of a source that names none. */
export const RERANKER_DEFAULTS: Readonly<
  Record<RerankerSource, { readonly url?: string; readonly model?: string }>
> = {
  cohere: { url: 'https://api.cohere.com/v2/rerank', model: 'rerank-v3.5' },
  jina: { url: 'https://api.jina.ai/v1/rerank', model: 'jina-reranker-v2-base-multilingual' },
  voyage: { url: 'https://api.voyageai.com/v1/rerank', model: 'rerank-2.5' },
  rest: {},
  huggingFace: {},
};
