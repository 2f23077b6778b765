/** The documents of one index, from a dump through the write pipeline into segments. */
import type { IndexCatalog } from '../catalog/index-catalog.ts';
import { ApiError, fromWire } from '../core/errors.ts';
import {
  manifestChange,
  type PreparedDocuments,
  type Upsert,
} from '../indexing/batch/document-operations.ts';
import type { IndexWriter } from '../indexing/index-writer.ts';
import { BatchProgress } from '../model/batch-progress.ts';
import type { KeyValueStore } from '../storage/database/key-value-store.ts';
import type { PayloadStore } from '../storage/payload-store.ts';
import { optedOut } from './opted-out.ts';

/** Bytes of a payload, and of all payloads of a batch. */
export const PAYLOAD_BYTES = 8 * 1024 ** 2;
const BATCH_PAYLOADS_MAX = 8;

/** The mode in which documents are imported without vectors that are refused otherwise, by code. */
const FAILURE_MODES: Readonly<Record<string, string>> = {
  vector_embedding_error: 'ignore_embedder_failures',
  invalid_document_fields: 'ignore_document_template_failures',
};

export interface DocumentImport {
  readonly indexUid: string;
  /** The same for an import that is begun again, and for no other: providers are told it. */
  readonly cause: string;
  readonly updatedAt: string;
  /** Pieces of whole lines. */
  readonly pieces: AsyncIterable<Uint8Array>;
  readonly writer: IndexWriter;
  readonly catalog: IndexCatalog;
  readonly store: KeyValueStore;
  readonly payloads: PayloadStore;
  /** Embedders whose vectors must come with the documents. */
  readonly userProvided: readonly string[];
  readonly onDocuments: (count: number) => void;
}

/** Batch by batch, each committed. @throws ApiError for a document that cannot be taken */
export async function importDocuments(options: DocumentImport): Promise<void> {
  let waiting: Uint8Array[] = [];
  for await (const piece of options.pieces) {
    waiting.push(piece);
    if (waiting.length < BATCH_PAYLOADS_MAX) continue;
    await importBatch(waiting, options);
    waiting = [];
  }
  if (waiting.length > 0) await importBatch(waiting, options);
}

async function importBatch(pieces: readonly Uint8Array[], options: DocumentImport): Promise<void> {
  const { writer, catalog, store, indexUid, updatedAt, onDocuments } = options;
  const prepared = await prepare(pieces, options);
  const change = catalog.begin();
  const manifest = change.update(indexUid, { ...manifestChange(prepared), updatedAt });
  await store.write(change.operations());
  change.apply();
  writer.committed(manifest);
  onDocuments(prepared.results.reduce((sum, { indexedDocuments }) => sum + indexedDocuments, 0));
}

/** @throws ApiError that names the index */
async function prepare(
  pieces: readonly Uint8Array[],
  options: DocumentImport,
): Promise<PreparedDocuments> {
  const { userProvided, indexUid } = options;
  try {
    return await apply(pieces, options);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { code, message } = error;
    // Old releases took documents without the vectors that their embedders ask for.
    if (code === 'vector_embedding_error' && userProvided.length > 0) {
      const completed = pieces.map((piece) => optedOut(piece, userProvided));
      return prepare(completed, { ...options, userProvided: [] });
    }
    const mode = FAILURE_MODES[code];
    const wayOut =
      mode === undefined
        ? ''
        : ` With \`--experimental-config-embedder-failure-modes ${mode}\` such documents are imported without vectors.`;
    throw new ApiError(code, `index \`${indexUid}\`: ${message}${wayOut}`);
  }
}

/** @throws ApiError for a document that cannot be taken */
async function apply(
  pieces: readonly Uint8Array[],
  { writer, payloads, cause }: DocumentImport,
): Promise<PreparedDocuments> {
  const names: string[] = [];
  const progress = new BatchProgress();
  progress.cause = cause;
  try {
    const operations: Upsert[] = [];
    for (const piece of pieces) {
      const payload = payloads.create();
      names.push(payload.name);
      payload.write(piece);
      operations.push({
        taskUid: operations.length,
        kind: 'upsert',
        method: 'replace',
        format: 'ndjson',
        payload: payloads.onDisk(await payload.finish()),
        payloadBytes: piece.length,
        primaryKey: null,
        skipCreation: false,
      });
    }
    const prepared = await writer.applyDocuments(operations, progress);
    const failed = prepared.results.find(({ error }) => error !== null);
    if (failed?.error) throw fromWire(failed.error);
    return prepared;
  } finally {
    for (const name of names) payloads.remove(name);
  }
}
