/** Imports the documents of one index of a dump through the write pipeline into segments. */
import type { IndexCatalog } from '../../catalog/index-catalog.ts';
import { ApiError, fromWire } from '../../core/errors.ts';
import type { StoredPayload } from '../../core/stored-payload.ts';
import { ByteBuffer } from '../../engine/bytes/byte-buffer.ts';
import { appendMembers } from '../../engine/json/append-members.ts';
import type { JsonTape } from '../../engine/json/json-tape.ts';
import { PayloadReader } from '../../engine/json/payload-reader.ts';
import {
  manifestChange,
  type PreparedDocuments,
  type Upsert,
} from '../../indexing/batch/document-operations.ts';
import type { IndexWriter } from '../../indexing/index-writer.ts';
import { BatchProgress } from '../../model/batch-progress.ts';
import { VECTORS_FIELD } from '../../model/embedders/embedder-settings.ts';
import { DocumentEntries, vectorsNode } from '../../segments/contract/document-entries.ts';
import type { KeyValueStore } from '../../storage/database/key-value-store.ts';
import type { PayloadStore } from '../../storage/payload-store.ts';

/** Bytes of a payload, and of all payloads of a batch. */
export const PAYLOAD_BYTES = 8 * 1024 ** 2;
const BATCH_PAYLOADS_MAX = 8;

/** Failure mode that imports documents without vectors, by the error code of their refusal. */
const FAILURE_MODES: Readonly<Record<string, string>> = {
  vector_embedding_error: 'ignore_embedder_failures',
  invalid_document_fields: 'ignore_document_template_failures',
};

export interface DocumentImport {
  readonly indexUid: string;
  /**
   * The `cause` sent to providers: stays the same when the import is restarted, and differs for
   * every other import.
   */
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

/**
 * Batch by batch, each committed; a batch waits in the spool, not in memory.
 * @throws ApiError for a document that cannot be taken
 */
export async function importDocuments(options: DocumentImport): Promise<void> {
  let waiting: StoredPayload[] = [];
  for await (const piece of options.pieces) {
    waiting.push(await storePiece(piece, options.payloads));
    if (waiting.length < BATCH_PAYLOADS_MAX) continue;
    await importBatch(waiting, options);
    waiting = [];
  }
  if (waiting.length > 0) await importBatch(waiting, options);
}

function storePiece(piece: Uint8Array, payloads: PayloadStore): Promise<StoredPayload> {
  const payload = payloads.create();
  payload.write(piece);
  return payload.finish();
}

async function importBatch(
  pieces: readonly StoredPayload[],
  options: DocumentImport,
): Promise<void> {
  const { writer, catalog, store, indexUid, updatedAt, onDocuments } = options;
  const prepared = await prepare(pieces, options);
  const change = catalog.begin();
  const manifest = change.update(indexUid, { ...manifestChange(prepared), updatedAt });
  await store.write(change.operations());
  change.apply();
  writer.committed(manifest);
  onDocuments(prepared.results.reduce((sum, { indexedDocuments }) => sum + indexedDocuments, 0));
}

/** Removes the pieces. @throws ApiError that names the index */
async function prepare(
  pieces: readonly StoredPayload[],
  options: DocumentImport,
): Promise<PreparedDocuments> {
  const { userProvided, indexUid, payloads } = options;
  try {
    return await apply(pieces, options);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { code, message } = error;
    // Old releases took documents without the vectors that their embedders ask for.
    if (code === 'vector_embedding_error' && userProvided.length > 0)
      return await prepare(await completed(pieces, options), { ...options, userProvided: [] });
    const mode = FAILURE_MODES[code];
    const wayOut =
      mode === undefined
        ? ''
        : ` With \`--experimental-config-embedder-failure-modes ${mode}\` such documents are imported without vectors.`;
    throw new ApiError(code, `index \`${indexUid}\`: ${message}${wayOut}`);
  } finally {
    for (const { name } of pieces) payloads.remove(name);
  }
}

/** The same documents with `_vectors: null` for each embedder that they do not mention. */
async function completed(
  pieces: readonly StoredPayload[],
  { payloads, userProvided }: DocumentImport,
): Promise<StoredPayload[]> {
  const stored: StoredPayload[] = [];
  for (const { name } of pieces)
    stored.push(await storePiece(optedOut(await payloads.read(name), userProvided), payloads));
  return stored;
}

/** @throws ApiError for a document that cannot be taken */
async function apply(
  pieces: readonly StoredPayload[],
  { writer, payloads, cause }: DocumentImport,
): Promise<PreparedDocuments> {
  const operations = pieces.map(
    (piece, taskUid): Upsert => ({
      taskUid,
      kind: 'upsert',
      method: 'replace',
      format: 'ndjson',
      payload: payloads.onDisk(piece),
      payloadBytes: piece.bytes,
      primaryKey: null,
      skipCreation: false,
      wereStored: true,
    }),
  );
  const progress = new BatchProgress();
  progress.cause = cause;
  const prepared = await writer.applyDocuments(operations, progress);
  const failed = prepared.results.find(({ error }) => error !== null);
  if (failed?.error) throw fromWire(failed.error);
  return prepared;
}

const LINE_END = 0x0a;

/** @param lines one document each @param embedders names of them */
function optedOut(lines: Uint8Array, embedders: readonly string[]): Uint8Array {
  const entries = new DocumentEntries();
  const out = new ByteBuffer();
  const reader = new PayloadReader(lines, 'ndjson');
  while (reader.next()) {
    const { tape } = reader;
    entries.begin(tape);
    const silent = embedders.filter((name) => entries.node(name) < 0);
    writeDocument(
      tape,
      silent.map((name) => `${JSON.stringify(name)}:null`),
      out,
    );
    out.pushByte(LINE_END);
  }
  return out.view().slice();
}

/** The document with further members of `_vectors`. */
function writeDocument(tape: JsonTape, members: readonly string[], out: ByteBuffer): void {
  const vectors = vectorsNode(tape);
  const end = members.length === 0 ? tape.end(0) : tape.end(vectors < 0 ? 0 : vectors);
  out.pushRange(tape.bytes, tape.start(0), end);
  if (members.length === 0) return;
  const list = members.join(',');
  appendMembers(out, vectors < 0 ? `"${VECTORS_FIELD}":{${list}}` : list);
  out.pushRange(tape.bytes, end, tape.end(0));
}
