/** The component for vectors of documents: one file per embedder. */
import { mergeVectors } from '../../engine/vectors/merge-vectors.ts';
import type { VectorSpace } from '../../engine/vectors/vectors.ts';
import { VectorsFile } from '../../engine/vectors/vectors-reader.ts';
import { VectorsWriter } from '../../engine/vectors/vectors-writer.ts';
import type { SegmentFile } from '../../model/index-manifest.ts';
import { checkEntries } from '../contract/check-entries.ts';
import type { PartBuilder, SegmentComponent } from '../contract/component.ts';
import { storedEmbedders } from './stored-embedders.ts';

export interface VectorsCoverage {
  readonly embedder: string;
  readonly space: VectorSpace;
}

function vectorsBuilder({ embedder: name, space }: VectorsCoverage): PartBuilder {
  const writer = new VectorsWriter(space);
  return {
    get memoryBytes() {
      return writer.memoryBytes;
    },
    add(docId, _id, _tape, entries) {
      const entry = entries.get({ name, dimensions: space.dimensions });
      if (entry !== null) writer.add(docId, entry.vectors, entry.fragments);
    },
    finish: () => writer.finish(),
  };
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
  check: (settings, wereStored) => {
    const embedders = storedEmbedders(settings);
    if (wereStored && embedders.length === 0) return null;
    return (tape, documentId) => checkEntries(tape, embedders, documentId);
  },
  addedFrom: 'files',
  parts: [{ lane: 1, builder: ({ covers }) => vectorsBuilder(covers) }],
  frame: ([file]) => file as Uint8Array[],
  // The source has the same dimensions and possibly another precision.
  merge: ({ segmentId, covers: { embedder, space }, sources }) => {
    const inputs = sources.map(({ files, dead }) => {
      const file = files.find(
        ({ covers }) =>
          covers.embedder === embedder && covers.space.dimensions === space.dimensions,
      );
      if (file === undefined)
        throw new Error(
          `no vectors of the embedder \`${embedder}\` to be merged into ${segmentId}`,
        );
      return { reader: file.reader, dead };
    });
    return mergeVectors(inputs, space);
  },
  open: (name, bytes) => new VectorsFile(name, bytes),
};

/** The vectors of these embedders in a segment's files. */
export const vectorsOf = (
  files: readonly SegmentFile[],
  embedders: readonly string[],
): SegmentFile[] =>
  files.filter(
    ({ component, covers }) =>
      component === 'vectors' && embedders.includes((covers as VectorsCoverage).embedder),
  );
