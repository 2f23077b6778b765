/** The component that holds the vectors of documents: one file an embedder. */
import { ApiError } from '../../core/errors.ts';
import type { JsonTape } from '../../engine/json/json-tape.ts';
import { mergeVectors } from '../../engine/vectors/merge-vectors.ts';
import type { VectorSpace, VectorsWriter } from '../../engine/vectors/vectors.ts';
import { openVectors, type VectorsFile } from '../../engine/vectors/vectors-reader.ts';
import { createVectorsWriter } from '../../engine/vectors/vectors-writer.ts';
import type { MergeInput, PartBuilder, SegmentComponent } from '../contract/component.ts';
import { addStoredDocuments } from '../contract/stored-documents-feed.ts';
import { checkEntries, EntryReader } from './document-entries.ts';
import { type DeclaredEmbedder, declaredEmbedders, storedEmbedders } from './embedder-settings.ts';

export interface VectorsCoverage {
  readonly embedder: string;
  readonly space: VectorSpace;
}

class EntriesBuilder implements PartBuilder {
  readonly #writer: VectorsWriter;
  readonly #entries: EntryReader;

  constructor({ embedder, space }: VectorsCoverage) {
    this.#writer = createVectorsWriter(space);
    this.#entries = new EntryReader({ name: embedder, dimensions: space.dimensions });
  }

  get memoryBytes(): number {
    return this.#writer.memoryBytes;
  }

  add(docId: number, _id: Uint8Array, tape: JsonTape): void {
    const vectors = this.#entries.read(tape)?.vectors ?? [];
    if (vectors.length > 0) this.#writer.add(docId, vectors);
  }

  finish(): Uint8Array[] {
    return this.#writer.finish();
  }
}

const sameSpace = (a: VectorSpace, b: VectorSpace): boolean =>
  a.dimensions === b.dimensions && a.metric === b.metric && a.precision === b.precision;

const sameCoverage = (a: VectorsCoverage, b: VectorsCoverage): boolean =>
  a.embedder === b.embedder && sameSpace(a.space, b.space);

export const vectorsComponent: SegmentComponent<VectorsCoverage, VectorsFile> = {
  extension: '.vec',
  describe: ({ embedder }) => `vectors of the embedder \`${embedder}\``,
  plan: (files, settings) => {
    const wanted = storedEmbedders(settings).map(({ name, space }) => ({ embedder: name, space }));
    return {
      kept: files.filter(({ covers }) => wanted.some((each) => sameCoverage(each, covers))),
      build: wanted.filter((each) => !files.some(({ covers }) => sameCoverage(each, covers))),
    };
  },
  check: (settings) => {
    const embedders = storedEmbedders(settings);
    return embedders.length === 0
      ? null
      : (tape, documentId) => checkEntries(tape, embedders, documentId);
  },
  checkStored: ({ embedder, space }, settings) => {
    const declared = declaredEmbedders(settings).find(({ name }) => name === embedder);
    const entries = new EntryReader({ name: embedder, dimensions: space.dimensions });
    if (declared === undefined) return null;
    return (tape, documentId) => {
      if (entries.node(tape) < 0) throw missingVectors(documentId(), declared);
    };
  },
  parts: [{ lane: 1, builder: ({ covers }) => new EntriesBuilder(covers) }],
  frame: ([file]) => file as Uint8Array[],
  merge: (input) => mergeFiles(input) ?? rebuild(input),
  open: openVectors,
};

/** For a document that says nothing of an embedder, and has nothing of it yet. */
export const missingVectors = (
  documentId: string,
  { name, isUserProvided }: DeclaredEmbedder,
): ApiError => {
  const why = isUserProvided
    ? 'whose source is `userProvided`'
    : 'whose source this server asks for the vectors of searches, not yet for those of documents';
  return new ApiError(
    'vector_embedding_error',
    `Document \`${documentId}\` has no \`_vectors.${name}\`, which it needs for the embedder \`${name}\`, ${why}; give a vector, or null for none.`,
  );
};

/** null when a source has no vectors of the embedder, or of other dimensions. */
function mergeFiles({
  covers,
  sources,
}: MergeInput<VectorsCoverage, VectorsFile>): Uint8Array[] | null {
  const inputs = sources.flatMap(({ files, dead }) => {
    const file = files.find(
      ({ covers: own }) =>
        own.embedder === covers.embedder && own.space.dimensions === covers.space.dimensions,
    );
    return file === undefined ? [] : [{ reader: file.reader, dead }];
  });
  return inputs.length === sources.length ? mergeVectors(inputs, covers.space) : null;
}

/** From what the documents themselves say. */
function rebuild({ covers, documents }: MergeInput<VectorsCoverage, VectorsFile>): Uint8Array[] {
  const entries = new EntriesBuilder(covers);
  if (documents !== null) addStoredDocuments(documents, null, entries);
  return entries.finish();
}
