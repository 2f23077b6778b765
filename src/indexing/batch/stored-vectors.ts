/**
 * Vectors of the documents that a segment already holds, for a change of its embedders: the inputs
 * to embed, and the resulting files. A large segment is processed in rounds, each a range of its
 * documents.
 */
import { remadeEmbedders } from '../../embedding/embedder-change.ts';
import type { Directory } from '../../engine/segment/directory.ts';
import { isLive } from '../../engine/sets/tombstones.ts';
import { mergeVectors } from '../../engine/vectors/merge-vectors.ts';
import type { SegmentFile } from '../../model/index-manifest.ts';
import type { Settings } from '../../model/settings.ts';
import { storedDocumentCheck } from '../../segments/components.ts';
import { entryOf, type VectorEntry } from '../../segments/contract/document-entries.ts';
import { type StoredEmbedder, storedEmbedders } from '../../segments/vectors/stored-embedders.ts';
import type { VectorsCoverage } from '../../segments/vectors/vectors-component.ts';
import { LiveCopies, type LiveCopy } from '../files/live-copies.ts';
import type { LiveVectors } from '../files/live-vectors.ts';
import { withOpenFiles } from '../files/open-files.ts';
import { SegmentFiles } from '../files/segment-files.ts';
import {
  documentInputs,
  type InputsOf,
  missingVectors,
  requestVectors,
} from './document-inputs.ts';
import {
  type EmbeddingRequest,
  type GeneratedVectors,
  generatedRows,
  RequestBuilder,
} from './embedding-request.ts';

export interface StoredRange {
  /** Settings that the segment's files were written under. */
  readonly before: Settings;
  readonly settings: Settings;
  /** Documents before this one are done. */
  readonly fromDocId: number;
}

interface Remade {
  readonly embedder: StoredEmbedder;
  /** The embedder before the change; null = it is new. */
  readonly old: StoredEmbedder | null;
  readonly inputsOf: InputsOf | null;
  readonly oldInputsOf: InputsOf | null;
}

function remadeOf({ before, settings }: StoredRange): Remade[] {
  const olds = new Map(storedEmbedders(before).map((embedder) => [embedder.name, embedder]));
  const remade = remadeEmbedders(before, settings);
  return storedEmbedders(settings)
    .filter(({ name }) => remade.has(name))
    .map((embedder) => {
      const { name, isUserProvided } = embedder;
      return {
        embedder,
        old: olds.get(name) ?? null,
        inputsOf: isUserProvided ? null : documentInputs(settings, name),
        oldInputsOf: remade.get(name) === 'render' ? documentInputs(before, name) : null,
      };
    });
}

/** Existing vectors that the document keeps; null = they must be made. */
function keptEntry(copy: LiveCopy, { embedder, old }: Remade): VectorEntry | null {
  const said = copy.entries.get(embedder);
  if (said !== null && (said.hasVectors || !said.regenerate)) return said;
  const isGiven = old?.isUserProvided === true && old.dimensions === embedder.dimensions;
  const given = isGiven ? copy.storedVectors(embedder.name) : null;
  return given !== null && given.vectors.length > 0 ? entryOf(given, false) : null;
}

/** Adds the inputs of a document. @throws ApiError `vector_embedding_error` */
function collect(
  request: RequestBuilder,
  remade: Remade,
  { docId, id, copy }: { readonly docId: number; readonly id: string; readonly copy: LiveCopy },
): void {
  const { embedder, inputsOf, oldInputsOf } = remade;
  if (keptEntry(copy, remade) !== null) return;
  if (inputsOf === null) throw missingVectors(id, embedder.name);
  const document = copy.json;
  const vectorCount = copy.storedVectors(embedder.name).vectors.length;
  const before = oldInputsOf === null ? null : { inputsOf: oldInputsOf, document, vectorCount };
  requestVectors(request, { docId, id, document }, inputsOf, before);
}

/**
 * The inputs that embedders must embed.
 * @param documentsMax documents read in this round
 * @throws ApiError when a document lacks a form that the settings require
 */
export function collectStored(
  segment: LiveVectors,
  range: StoredRange & { readonly documentsMax: number },
): { readonly requests: readonly EmbeddingRequest[]; readonly nextDocId: number | null } {
  const check = storedDocumentCheck(range.settings);
  const all = remadeOf(range);
  const builders = all.map(({ embedder }) => new RequestBuilder(embedder.name));
  const decoder = new TextDecoder();
  let nextDocId: number | null = null;
  let count = 0;
  for (const { docId, copy } of livingFrom(segment, range.fromDocId)) {
    if (count++ === range.documentsMax) {
      nextDocId = docId;
      break;
    }
    const id = decoder.decode(segment.reader.documentId(docId));
    check?.(copy.tape, () => id);
    for (const [i, remade] of all.entries())
      collect(builders[i] as RequestBuilder, remade, { docId, id, copy });
  }
  return { requests: builders.map((builder) => builder.finish()), nextDocId };
}

/** Each copy is valid until the next one. */
function* livingFrom(
  segment: LiveVectors,
  fromDocId: number,
): Generator<{ readonly docId: number; readonly copy: LiveCopy }> {
  const copies = new LiveCopies([segment]);
  for (const docId of segment.reader.docIds) {
    if (docId < fromDocId || !isLive(docId, segment.dead)) continue;
    const copy = copies.find(docId);
    if (copy !== null) yield { docId, copy };
  }
}

/** A range with the vectors made of its documents. */
export interface RemadeRange extends StoredRange {
  /** Where the range ends, null = with the last document. */
  readonly toDocId: number | null;
  readonly generated: readonly GeneratedVectors[];
}

/**
 * Files of the regenerated embedders, for all documents of the range.
 * @param id names the files; never used before in the index
 */
export function buildRemade(
  directory: Directory,
  segment: LiveVectors,
  range: RemadeRange,
  id: string,
): SegmentFile[] {
  const { settings, fromDocId, toDocId, generated } = range;
  const remade = remadeOf(range);
  const wanted = remade.map(({ embedder: { name, space } }) => ({
    component: 'vectors' as const,
    covers: { embedder: name, space } satisfies VectorsCoverage,
  }));
  const analyzer = (): never => {
    throw new Error('vectors are made without words');
  };
  const files = new SegmentFiles(directory, { wanted, id }, { segmentId: id, settings, analyzer });
  const rows = generatedRows(generated);
  for (const { docId, copy } of livingFrom(segment, fromDocId)) {
    if (toDocId !== null && docId >= toDocId) break;
    for (const each of remade) {
      const { name } = each.embedder;
      const made = rows.get(name)?.of(docId);
      const entry = made === undefined ? keptEntry(copy, each) : null;
      const vectors = made ?? entry ?? copy.storedVectors(name);
      copy.entries.set(name, entryOf(vectors, entry === null));
    }
    files.add(docId, segment.reader.documentId(docId), copy.tape, copy.entries);
  }
  return files.finish();
}

/** @param files of one embedder and segment */
export function joinRemade(
  directory: Directory,
  files: readonly SegmentFile[],
  name: string,
): SegmentFile {
  return withOpenFiles(directory, [files], ([opened]) => {
    const inputs = (opened?.vectors ?? []).map((reader) => ({ reader, dead: null }));
    const [first] = files;
    if (first === undefined) throw new Error('no files of vectors to be joined');
    const { component, covers } = first;
    const parts = mergeVectors(inputs, (covers as VectorsCoverage).space);
    directory.create(name, parts);
    return { component, name, covers, bytes: parts.reduce((sum, { length }) => sum + length, 0) };
  });
}
