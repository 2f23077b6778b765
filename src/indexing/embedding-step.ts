/**
 * The step between resolve and build that needs the network: vectors of documents, from the
 * embedders of the index. Indexing threads render the inputs, the embedding thread sends the
 * requests, and the vectors are held in shared memory, for a bounded part of the documents at a
 * time.
 */
import { isDeepStrictEqual } from 'node:util';
import { ApiError } from '../core/errors.ts';
import { ShapeError } from '../core/rest-shape.ts';
import { waitForAll } from '../core/wait-for-all.ts';
import type { DocumentEmbedders } from '../embedding/cache/cached-embedder.ts';
import { EmbeddingError, type SkippedInputs } from '../embedding/embedder.ts';
import { restShapes } from '../embedding/providers/provider-profile.ts';
import { TemplateError } from '../embedding/templates/liquid-engine.ts';
import { lowerBound } from '../engine/sets/sorted.ts';
import type { BatchProgress } from '../model/batch-progress.ts';
import {
  areDimensionsSettled,
  knownDimensions,
  makesVectors,
  withDimensions,
} from '../model/embedders/embedder-dimensions.ts';
import { COMPOSITE_PARTS, type EmbedderSettings } from '../model/embedders/embedder-settings.ts';
import type { ScorePairs } from '../model/score-pairs.ts';
import type { Settings } from '../model/settings.ts';
import { storedEmbedders } from '../segments/vectors/stored-embedders.ts';
import type { EmbeddingRequest, GeneratedVectors } from './batch/embedding-request.ts';
import { UnembeddedDocuments } from './batch/unembedded.ts';
import { tryLocalRerankers } from './local-rerankers.ts';

const makers = (settings: Settings) =>
  storedEmbedders(settings).filter(({ isUserProvided }) => !isUserProvided);

export const embedsDocuments = (settings: Settings): boolean => makers(settings).length > 0;

/** Upper bound in bytes of the vectors that are made for one document. */
const vectorBytesEach = (settings: Settings): number =>
  makers(settings).reduce((sum, { name, dimensions }) => {
    const { indexingEmbedder, ...own } = settings.embedders[name] as EmbedderSettings;
    const { indexingFragments = {} } = indexingEmbedder ?? own;
    return sum + Math.max(1, Object.keys(indexingFragments).length) * dimensions * 4;
  }, 0);

const VECTOR_BYTES_MAX = 32 * 1024 ** 2;

/** Number of documents whose vectors take at most this many bytes; at least one. */
export function documentsTogether(settings: Settings, bytesMax = VECTOR_BYTES_MAX): number {
  const bytes = vectorBytesEach(settings);
  return bytes === 0 ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(bytesMax / bytes));
}

/**
 * New settings with dimensions of embedders from their providers; new local rerankers are tried.
 * @throws ApiError `vector_embedding_error`, `invalid_settings_rerankers`
 */
export async function completedSettings(
  next: Settings,
  stored: Settings,
  { embedderOf, scorePairs }: EmbeddingStepOptions,
  progress: BatchProgress,
): Promise<Settings> {
  checkRestShapes(next, stored);
  if (scorePairs !== undefined)
    await tryLocalRerankers(next.rerankers, stored.rerankers, scorePairs, progress.signal);
  return withAllDimensions(next, embedderOf, progress);
}

/**
 * The settings with dimensions for every embedder. If neither settings nor model state them, the
 * provider is asked.
 * @throws ApiError `vector_embedding_error`
 */
export async function withAllDimensions(
  settings: Settings,
  embedderOf: DocumentEmbedders,
  progress: BatchProgress,
): Promise<Settings> {
  const unknown = Object.entries(settings.embedders).filter(
    ([, embedder]) => makesVectors(embedder) && !areDimensionsSettled(embedder),
  );
  if (unknown.length === 0) return settings;
  progress.begin('embedding documents');
  const { signal, isLastTry } = progress;
  const asked = unknown.map(async ([name, embedder]) => {
    try {
      const dimensions = await embedderOf(embedder).dimensions(signal, isLastTry);
      return [name, withDimensions(embedder, dimensions)] as const;
    } catch (cause) {
      const message = failureText(name, cause, progress);
      progress.isLastTry = true;
      throw new ApiError('vector_embedding_error', message, { cause });
    }
  });
  const found = await waitForAll(asked);
  return { ...settings, embedders: { ...settings.embedders, ...Object.fromEntries(found) } };
}

/**
 * Checks that the members of each new or changed embedder fit together: an update may combine a
 * request for fragments with stored members that have none.
 * @throws ApiError `vector_embedding_error`
 */
function checkRestShapes({ embedders }: Settings, stored: Settings): void {
  for (const [name, embedder] of Object.entries(embedders)) {
    if (isDeepStrictEqual(embedder, stored.embedders[name])) continue;
    try {
      for (const own of [embedder, ...COMPOSITE_PARTS.map((part) => embedder[part])])
        if (own?.source === 'rest') restShapes(own);
    } catch (cause) {
      if (!(cause instanceof ShapeError)) throw cause;
      const message = `The embedder \`${name}\` does not fit: ${cause.message}.`;
      throw new ApiError('vector_embedding_error', message, { cause });
    }
  }
}

/** Policy for documents that get no vectors. */
export interface EmbeddingFailureRules {
  /** Where a template fails: write them without vectors, or fail their tasks. */
  readonly ignoresTemplates: boolean;
  /** The same where the embedder fails. */
  readonly ignoresEmbedders: boolean;
  /** Receives a sentence about documents that are written without vectors. */
  readonly onIgnored: (message: string) => void;
}

export interface EmbeddingStepOptions {
  readonly embedderOf: DocumentEmbedders;
  /** Of local rerankers. Absent: new ones are not tried. */
  readonly scorePairs?: ScorePairs;
  /** Absent: a document that gets no vectors fails its task. */
  readonly failures?: EmbeddingFailureRules;
}

const NOTHING_IGNORED: EmbeddingFailureRules = {
  ignoresTemplates: false,
  ignoresEmbedders: false,
  onIgnored: () => undefined,
};

/**
 * @throws ApiError `vector_embedding_error`, `invalid_document_fields` where a document is to
 * blame; UnembeddedDocuments where only embedders are; BatchCanceled
 */
export async function embedAll(
  requests: readonly EmbeddingRequest[],
  settings: Settings,
  options: EmbeddingStepOptions,
  progress: BatchProgress,
): Promise<GeneratedVectors[]> {
  const ended = await Promise.allSettled(
    requests.map((request) => embed(request, settings, options, progress)),
  );
  const failures = ended.flatMap((end) =>
    end.status === 'rejected' ? [end.reason as unknown] : [],
  );
  const outages = failures.filter((failure) => failure instanceof UnembeddedDocuments);
  if (outages.length < failures.length)
    throw failures.find((failure) => !(failure instanceof UnembeddedDocuments));
  if (outages.length > 0) throw UnembeddedDocuments.join(outages);
  return ended.flatMap((end) => (end.status === 'fulfilled' ? [end.value] : []));
}

async function embed(
  request: EmbeddingRequest,
  settings: Settings,
  { embedderOf, failures = NOTHING_IGNORED }: EmbeddingStepOptions,
  progress: BatchProgress,
): Promise<GeneratedVectors> {
  const { embedder: name, docIds, inputs } = request;
  acceptUnrendered(request, failures);
  const embedder = settings.embedders[name] as EmbedderSettings;
  const dimensions = knownDimensions(embedder) ?? 0;
  const values = new Float32Array(new SharedArrayBuffer(inputs.length * dimensions * 4));
  const skipped = new SkippedDocuments(request);
  const hasVector = new Uint8Array(inputs.length);
  try {
    if (inputs.length > 0)
      await embedderOf(embedder).embedDocuments(inputs, {
        signal: progress.signal,
        isLastTry: progress.isLastTry,
        ...(progress.cause !== null && { cause: progress.cause }),
        ...(failures.ignoresEmbedders && { onSkipped: (some) => skipped.add(some) }),
        onPaid: () => progress.onLasting(),
        onRequest: (error) => progress.countRequest(error),
        onEmbedded: ({ at, vectors }) => {
          for (const [n, input] of at.entries()) {
            values.set(vectors[n] as Float32Array, input * dimensions);
            hasVector[input] = 1;
          }
          progress.advance(at.length);
        },
      });
  } catch (error) {
    throw failureOf(request, hasVector, error, progress);
  }
  skipped.report(failures);
  return { embedder: name, dimensions, docIds, ...skipped.without(values, dimensions) };
}

/**
 * @throws ApiError `invalid_document_fields` for a template failure that the policy does not allow
 */
function acceptUnrendered(
  { embedder, unrendered: { count, first } }: EmbeddingRequest,
  { ignoresTemplates, onIgnored }: EmbeddingFailureRules,
): void {
  if (first === null) return;
  const failure = `Document \`${first.id}\`: a template of the embedder \`${embedder}\` fails on it: ${first.message}.`;
  if (!ignoresTemplates)
    throw new ApiError('invalid_document_fields', failure, { document: first.id });
  onIgnored(`${count} documents have no vectors of \`${embedder}\`. ${failure}`);
}

/** Documents of a request with at least one input without a vector: they get none at all. */
class SkippedDocuments {
  readonly #request: EmbeddingRequest;
  /** Their numbers in the request. */
  readonly #numbers = new Set<number>();
  #reason = '';

  constructor(request: EmbeddingRequest) {
    this.#request = request;
  }

  add({ at, reason }: SkippedInputs): void {
    for (const inputAt of at) this.#numbers.add(numberOf(this.#request, inputAt));
    this.#reason = reason;
  }

  report({ onIgnored }: EmbeddingFailureRules): void {
    const { embedder, ids } = this.#request;
    const [first] = this.#numbers;
    if (first === undefined) return;
    onIgnored(
      `${this.#numbers.size} documents have no vectors of \`${embedder}\`, such as \`${ids[first]}\`: ${this.#reason}`,
    );
  }

  /** Rows of the remaining documents, and the end of each document's rows. */
  without(
    values: Float32Array,
    dimensions: number,
  ): Pick<GeneratedVectors, 'ends' | 'values' | 'fragments'> {
    const { ends, fragments } = this.#request;
    if (this.#numbers.size === 0) return { ends, values, fragments };
    const left = new Uint32Array(ends.length);
    const leftFragments: string[] = [];
    let rows = 0;
    for (const [number, end] of ends.entries()) {
      const begin = ends[number - 1] ?? 0;
      if (!this.#numbers.has(number)) {
        values.copyWithin(rows * dimensions, begin * dimensions, end * dimensions);
        leftFragments.push(...fragments.slice(begin, end));
        rows += end - begin;
      }
      left[number] = rows;
    }
    return { ends: left, values, fragments: leftFragments };
  }
}

/** @throws an error that is not the embedder's, or the reason of an aborted batch */
function failureText(name: string, cause: unknown, { signal }: BatchProgress): string {
  if (signal.aborted) throw signal.reason;
  const isKnown =
    cause instanceof EmbeddingError ||
    cause instanceof TemplateError ||
    cause instanceof ShapeError;
  if (!isKnown) throw cause;
  return `the embedder \`${name}\` gave no vectors: ${cause.message}`;
}

/** @param hasVector 1 for each input that has a vector nevertheless */
function failureOf(
  request: EmbeddingRequest,
  hasVector: Uint8Array,
  cause: unknown,
  progress: BatchProgress,
): ApiError {
  const message = failureText(request.embedder, cause, progress);
  const inputAt = cause instanceof EmbeddingError ? cause.inputAt : null;
  if (inputAt === null) {
    progress.isLastTry = true;
    const { ends, docIds } = request;
    const unembedded = docIds.filter((_, i) =>
      hasVector.subarray(ends[i - 1] ?? 0, ends[i]).includes(0),
    );
    return UnembeddedDocuments.of(unembedded, message);
  }
  const document = request.ids[numberOf(request, inputAt)] ?? null;
  const options = { cause, document };
  return new ApiError('vector_embedding_error', `Document \`${document}\`: ${message}`, options);
}

/** Number of the document that an input belongs to. */
const numberOf = ({ ends }: EmbeddingRequest, inputAt: number): number =>
  lowerBound(ends, inputAt + 1);
