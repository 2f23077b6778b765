/** An embedder behind an HTTP API: documents in batches, several requests at once. */
import { setMaxListeners } from 'node:events';
import { mapInParallel } from '../../core/bounded-parallel.ts';
import type { EmbedderSettings } from '../../model/embedders/embedder-settings.ts';
import {
  type Embedder,
  EmbeddingError,
  type EmbeddingInput,
  type EmbedOptions,
  type QueryInput,
} from '../embedder.ts';
import { fingerprintOf } from '../fingerprint.ts';
import { queryContent, sampleInputs } from '../templates/embedded-content.ts';
import {
  BadInputError,
  type Batch,
  ProviderClient,
  type ProviderEnvironment,
} from './provider-client.ts';
import type { ProviderProfile } from './provider-profile.ts';
import { LANES_MAX } from './rate-limit-state.ts';
import type { RetryPolicy } from './rate-limiter.ts';

export interface HttpEnvironment extends ProviderEnvironment {
  /** How long a failing request for documents is retried. */
  readonly retryMsMax: number;
}

/** Quotas of a provider are full again within the hour, or never. */
const DOCUMENTS_REFUSED_MS_MAX = 3_600_000;
/** Used when a sample is no evidence: the input is blamed. */
const SAMPLE_RETRY_POLICY: RetryPolicy = { failingMs: 5000, refusedMs: 5000 };
/** A search has no time to wait. */
const QUERY_RETRY_POLICY: RetryPolicy = { failingMs: 500, refusedMs: 500 };
/** The waiting lane and its request listen to the same signal. */
const LISTENERS_PER_LANE = 2;

/** What the requests of one call have shown about the provider. */
interface Known {
  /** Its error when no input is to blame; no further requests are sent. */
  outage: EmbeddingError | null;
  retryPolicy: RetryPolicy;
  /** Whether it accepts any input: checked at most once, after it refused a single text. */
  takesAny: Promise<boolean> | null;
}

const YES = Promise.resolve(true);

export class HttpEmbedder implements Embedder {
  readonly fingerprint: string;
  readonly #settings: EmbedderSettings;
  readonly #inputsMax: number;
  readonly #retryMsMax: number;
  readonly #client: ProviderClient;
  readonly #toInput: (query: QueryInput) => EmbeddingInput;

  constructor(settings: EmbedderSettings, profile: ProviderProfile, environment: HttpEnvironment) {
    this.fingerprint = fingerprintOf(settings);
    this.#settings = settings;
    this.#inputsMax = profile.inputsMax;
    this.#retryMsMax = environment.retryMsMax;
    this.#client = new ProviderClient(profile, environment);
    this.#toInput = queryContent(settings);
  }

  async dimensions(signal: AbortSignal, isLastTry = false): Promise<number> {
    if (this.#client.dimensions !== null) return this.#client.dimensions;
    let refusal = 'No fragment applies to text without media.';
    for (const sample of sampleInputs(this.#settings)) {
      try {
        return (await this.#embedOne(sample, this.#retryPolicy(isLastTry), signal)).length;
      } catch (error) {
        if (!(error instanceof BadInputError)) throw error;
        refusal = error.message;
      }
    }
    throw new EmbeddingError(
      `\`dimensions\` must be set, the provider does not return them: ${refusal}`,
    );
  }

  async embedDocuments(inputs: readonly EmbeddingInput[], options: EmbedOptions): Promise<void> {
    setMaxListeners(LANES_MAX * LISTENERS_PER_LANE, options.signal);
    const inputsMax = this.#inputsMax;
    const count = Math.ceil(inputs.length / inputsMax);
    const firsts = Array.from({ length: count }, (_, n) => n * inputsMax);
    const retryPolicy = this.#retryPolicy(options.isLastTry ?? false);
    const known: Known = { outage: null, retryPolicy, takesAny: null };
    await mapInParallel(firsts, LANES_MAX, (first) =>
      this.#embed({ inputs: inputs.slice(first, first + inputsMax), first }, options, known),
    );
  }

  async embedQuery(query: QueryInput, signal: AbortSignal): Promise<Float32Array> {
    return this.#embedOne(this.#toInput(query), QUERY_RETRY_POLICY, signal);
  }

  async #embedOne(
    input: EmbeddingInput,
    retryPolicy: RetryPolicy,
    signal: AbortSignal,
  ): Promise<Float32Array> {
    const batch = { inputs: [input], first: 0 };
    const [vector] = await this.#client.request(batch, retryPolicy, { signal });
    if (vector === undefined) throw new EmbeddingError('The provider gave no vector.');
    return vector;
  }

  /** Of tasks. */
  #retryPolicy(isLastTry: boolean): RetryPolicy {
    const failingMs = isLastTry ? 0 : this.#retryMsMax;
    return { failingMs, refusedMs: DOCUMENTS_REFUSED_MS_MAX };
  }

  async #embed(batch: Batch, options: EmbedOptions, known: Known): Promise<void> {
    if (known.outage !== null) return skip(batch, known.outage, options);
    try {
      const vectors = await this.#client.request(batch, known.retryPolicy, options);
      known.retryPolicy = this.#retryPolicy(false);
      known.takesAny = YES;
      await options.onEmbedded?.({ at: batch.inputs.map((_, at) => batch.first + at), vectors });
    } catch (error) {
      if (!(error instanceof EmbeddingError)) throw error;
      const parts = withoutCulprit(batch, error, options.onSkipped !== undefined);
      for (const part of parts) await this.#embed(part, options, known);
      if (parts.length > 0) return;
      const blamed = await this.#blamed(error, options.signal, known);
      if (blamed.inputAt === null) known.outage = blamed;
      skip(batch, blamed, options);
    }
  }

  /**
   * A provider that rejects every request, because of its model or another setting, refuses each
   * text as if the text were to blame. A sample decides for texts; for fragments it is no evidence.
   */
  async #blamed(error: EmbeddingError, signal: AbortSignal, known: Known): Promise<EmbeddingError> {
    const [sample] = sampleInputs(this.#settings);
    if (!(error instanceof BadInputError) || typeof sample !== 'string') return error;
    known.takesAny ??= this.#takes(sample, signal);
    if (await known.takesAny) return error;
    return new EmbeddingError(`${error.message}; it refuses the text \`${sample}\` as well`);
  }

  async #takes(input: EmbeddingInput, signal: AbortSignal): Promise<boolean> {
    try {
      await this.#embedOne(input, SAMPLE_RETRY_POLICY, signal);
      return true;
    } catch (error) {
      return !(error instanceof BadInputError);
    }
  }
}

/**
 * Smaller batches to request instead of a refused one; none = it cannot be split, or the parts
 * would fail the same way. A refused batch is halved until the input to blame is alone.
 */
function withoutCulprit(
  { inputs, first }: Batch,
  error: EmbeddingError,
  maySkip: boolean,
): readonly Batch[] {
  if (inputs.length === 1) return [];
  const isCut = error instanceof BadInputError;
  if (!isCut && (error.inputAt === null || !maySkip)) return [];
  const cuts = isCut
    ? [inputs.length >> 1]
    : [(error.inputAt ?? first) - first, (error.inputAt ?? first) - first + 1];
  return [0, ...cuts].flatMap((begin, n) => {
    const part = inputs.slice(begin, cuts[n]);
    return part.length === 0 ? [] : [{ inputs: part, first: first + begin }];
  });
}

/** @throws the error unless inputs may go without vectors */
function skip({ inputs, first }: Batch, error: EmbeddingError, { onSkipped }: EmbedOptions): void {
  if (onSkipped === undefined) throw error;
  onSkipped({ at: inputs.map((_, at) => first + at), reason: error.message });
}
