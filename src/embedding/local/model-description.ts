/** Reads from a model's config files how texts are encoded and vectors are pooled. */
import { objectOf } from '../../core/json.ts';
import type { Pooling } from '../../model/embedders/embedder-settings.ts';
import { EmbeddingError } from '../embedder.ts';

/** How token vectors become one vector. */
export type TokenPooling = 'cls' | 'mean' | 'max';

/** Files by name as JSON; null = the file does not exist. */
export interface ModelJson {
  readonly config: unknown;
  readonly tokenizerConfig: unknown;
  readonly sentenceConfig: unknown;
  readonly pooling: unknown;
}

/** Maximum text length of a model that states none. */
const TOKENS_MAX = 512;
/** A stated length above this means "no limit". */
const STATED_TOKENS_MAX = 65_536;
/** Model types whose first positions are reserved. */
const OFFSET_POSITIONS = ['roberta', 'xlm-roberta', 'camembert', 'mpnet'];
const OFFSET = 2;

export function tokensMaxOf({ config, tokenizerConfig, sentenceConfig }: ModelJson): number {
  const positions = count(config, 'max_position_embeddings');
  const isOffset = OFFSET_POSITIONS.includes(String(objectOf(config)['model_type']));
  const stated = [
    positions === null ? null : positions - (isOffset ? OFFSET : 0),
    count(tokenizerConfig, 'model_max_length'),
    count(sentenceConfig, 'max_seq_length'),
  ].flatMap((value) => (value !== null && value <= STATED_TOKENS_MAX ? [value] : []));
  return stated.length === 0 ? TOKENS_MAX : Math.min(...stated);
}

/** @throws EmbeddingError for an unsupported pooling mode */
export function tokenPoolingOf(pooling: Pooling, json: ModelJson): TokenPooling {
  if (pooling === 'forceCls') return 'cls';
  if (pooling === 'forceMean' || json.pooling === null) return 'mean';
  if (objectOf(json.pooling)['pooling_mode_cls_token'] === true) return 'cls';
  if (objectOf(json.pooling)['pooling_mode_mean_tokens'] === true) return 'mean';
  if (objectOf(json.pooling)['pooling_mode_max_tokens'] === true) return 'max';
  throw new EmbeddingError(
    'the model pools neither by its first token, nor by mean, nor by maximum (1_Pooling/config.json); `pooling` may say `forceMean` or `forceCls`',
  );
}

export const paddingOf = ({ config }: ModelJson): number => count(config, 'pad_token_id') ?? 0;

function count(json: unknown, name: string): number | null {
  const value = objectOf(json)[name];
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : null;
}
