/**
 * `_vectors` of a document in answers: its stored entries, and the embeddings of the index's
 * embedders from the vector files (api.md 12.6).
 */
import { type Json, objectOf, parseJson } from '../../core/json.ts';
import { ByteBuffer } from '../../engine/bytes/byte-buffer.ts';
import { compileSelection, projectDocumentInto } from '../../engine/json/project-document.ts';
import type { SegmentReader } from '../../engine/segment/segment-reader.ts';
import { makesVectors } from '../../model/embedders/embedder-dimensions.ts';
import { VECTORS_FIELD } from '../../model/embedders/embedder-settings.ts';
import { vectorJson } from '../../model/vector-json.ts';
import type { DocumentPlace } from './document-place.ts';
import type { IndexSnapshot } from './index-snapshot.ts';

const onlyVectors = compileSelection([VECTORS_FIELD]);

/**
 * JSON text of an object. Entries of names that no embedder has come first, as they are stored; null
 * there is shown as an empty list.
 * @param json the whole document as stored
 * @param chosen `ofEmbedders` leaves those entries out
 */
export function documentVectors(
  { manifest, segments, vectors }: IndexSnapshot,
  { segment, docId }: DocumentPlace,
  json: Uint8Array,
  chosen: 'all' | 'ofEmbedders',
): string {
  const embedders = Object.keys(manifest.settings.embedders);
  const stored = storedVectors(json);
  const members = Object.entries(stored)
    .filter(([name]) => chosen === 'all' && !embedders.includes(name))
    .map(([name, value]) => `${JSON.stringify(name)}:${JSON.stringify(value ?? [])}`);
  const readers = vectors[segments.indexOf(segment)]!;
  for (const [name, embedder] of Object.entries(manifest.settings.embedders)) {
    const kept = readers.get(name)?.vectorsOf(docId) ?? [];
    const embeddings = embedder.binaryQuantized === true ? kept.map(signsOf) : kept;
    const regenerate = isRegenerated(stored[name], makesVectors(embedder));
    members.push(
      `${JSON.stringify(name)}:{"embeddings":[${embeddings.map(vectorJson).join(',')}],"regenerate":${regenerate}}`,
    );
  }
  return `{${members.join(',')}}`;
}

/** @param byDefault of a document without an entry: whether the embedder generates vectors */
const isRegenerated = (entry: unknown, byDefault: boolean): boolean =>
  entry === undefined
    ? byDefault
    : (entry as { readonly regenerate?: unknown } | null)?.regenerate === true;

const storedEntry = (segment: SegmentReader, docId: number, embedder: string): unknown =>
  storedVectors(segment.readDocument(docId))[embedder];

/** True if the vectors of the document change with its content. @param makes of its embedder */
export const regeneratesVectors = (
  segment: SegmentReader,
  docId: number,
  embedder: string,
  makes: boolean,
): boolean => isRegenerated(storedEntry(segment, docId, embedder), makes);

/** True if the stored document has an entry that keeps the embedder from generating vectors. */
export const ownsVectors = (segment: SegmentReader, docId: number, embedder: string): boolean =>
  !isRegenerated(storedEntry(segment, docId, embedder), true);

/** Only signs of a quantized vector are shown, whatever the file stores. */
const signsOf = (vector: Float32Array): Float32Array => vector.map((value) => (value > 0 ? 1 : 0));

function storedVectors(json: Uint8Array): Json {
  const out = new ByteBuffer();
  projectDocumentInto(json, onlyVectors, out);
  return objectOf(objectOf(parseJson(out.view()))[VECTORS_FIELD]);
}
