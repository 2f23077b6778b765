/** Messages between a caller that needs vectors and the embedding thread. Plain data. */
import type { MessagePort } from 'node:worker_threads';
import type { EmbedderSettings } from '../../model/embedders/embedder-settings.ts';
import type { EmbeddingInput, EmbedOptions, QueryInput } from '../embedder.ts';

export interface DimensionsTask {
  readonly settings: EmbedderSettings;
  readonly isLastTry: boolean;
  /** Carries `ToThread` to the thread and `FromThread` back while the task runs. */
  readonly port: MessagePort;
}

export interface EmbedTask extends DimensionsTask, Pick<EmbedOptions, 'cause'> {
  readonly inputs: readonly EmbeddingInput[];
  /** Whether inputs may go without vectors; the response then lists them. */
  readonly maySkip: boolean;
}

export interface EmbedQueryTask extends Omit<DimensionsTask, 'isLastTry'> {
  readonly query: QueryInput;
}

export interface ScoreTask extends Omit<DimensionsTask, 'isLastTry'> {
  readonly query: string;
  readonly texts: readonly string[];
}

export type ToThread =
  /** Abort: no new requests; only running ones are finished. */
  | { readonly kind: 'stop' }
  /** The vectors of this message are stored, or cannot be stored. */
  | { readonly kind: 'taken'; readonly message: number };

export type FromThread =
  | { readonly kind: 'request'; readonly error: string | null }
  | {
      readonly kind: 'embedded';
      /** Number of the message, which is acknowledged with `taken`. */
      readonly message: number;
      readonly at: readonly number[];
      /** One vector after the other, all of the same length. */
      readonly values: Float32Array;
    };

/** Errors lose their class between threads. */
export type ThreadAnswer<Value> =
  | { readonly value: Value }
  | { readonly error: { readonly message: string; readonly inputAt: number | null } };
