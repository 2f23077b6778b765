/** The filter `_vectors`: documents by the vectors they have (relevance.md 5.1). */
import type { SegmentReader } from '../../engine/segment/segment-reader.ts';
import { andNotInto, clearBit, forEachBit, orInto, setBit } from '../../engine/sets/bitset.ts';
import type { VectorsFile } from '../../engine/vectors/vectors-reader.ts';
import { makesVectors } from '../../model/embedders/embedder-dimensions.ts';
import { type EmbedderSettings, VECTORS_FIELD } from '../../model/embedders/embedder-settings.ts';
import type { VectorsCondition } from '../../model/filter/filter-node.ts';
import type { Settings } from '../../model/settings.ts';
import { DocSet } from '../sets/doc-set.ts';
import { ownsVectors, regeneratesVectors } from '../snapshot/document-vectors.ts';
import type { IndexSnapshot } from '../snapshot/index-snapshot.ts';

export interface VectorsSource
  extends Pick<IndexSnapshot, 'segments' | 'vectors' | 'dead' | 'bitsetLength'> {
  readonly manifest: { readonly settings: Settings };
}

/** The caller has checked the embedders (filter-permissions.ts). */
export function documentsWithVectors(
  source: VectorsSource,
  { embedder: wanted, aspect }: VectorsCondition,
): DocSet {
  const { segments, vectors, dead, bitsetLength, manifest } = source;
  const all = new Uint32Array(bitsetLength);
  for (const [name, embedder] of Object.entries(manifest.settings.embedders)) {
    if (wanted !== null && wanted !== name) continue;
    segments.forEach((segment, s) => {
      const file = vectors[s]!.get(name);
      if (aspect === 'userProvided')
        addOwn(all, file, { segment, dead: dead[s] ?? null, name, embedder });
      if (file === undefined || aspect === 'userProvided') return;
      const found = withAspect(aspect, file, segment, name, embedder);
      if (dead[s]) andNotInto(found, dead[s]);
      orInto(all, found);
    });
  }
  return DocSet.fromBits(all);
}

/**
 * Adds the documents that bring vectors, or say that they have none. An embedder that makes no
 * vectors has only those.
 */
function addOwn(
  all: Uint32Array,
  file: VectorsFile | undefined,
  {
    segment,
    dead,
    name,
    embedder,
  }: {
    readonly segment: SegmentReader;
    readonly dead: Uint32Array | null;
    readonly name: string;
    readonly embedder: EmbedderSettings;
  },
): void {
  const found = new Uint32Array(all.length);
  if (file !== undefined && !makesVectors(embedder)) orInto(found, file.documents);
  const saysSomething = segment.shapes.map((fields) => fields.includes(VECTORS_FIELD));
  for (const docId of segment.docIds)
    if (saysSomething[segment.shapeOf(docId)] === true && ownsVectors(segment, docId, name))
      setBit(found, docId);
  if (dead !== null) andNotInto(found, dead);
  orInto(all, found);
}

/** Documents of a file, deleted ones included, as a bitset; the caller owns it. */
function withAspect(
  aspect: Exclude<VectorsCondition['aspect'], 'userProvided'>,
  file: VectorsFile,
  segment: SegmentReader,
  name: string,
  embedder: EmbedderSettings,
): Uint32Array {
  if (typeof aspect === 'object' && aspect !== null)
    return file.documentsOfFragment(aspect.fragment);
  // Such embedders generate no vectors from a template.
  if (
    aspect === 'documentTemplate' &&
    (fragmentsOf(embedder).length > 0 || !makesVectors(embedder))
  )
    return new Uint32Array(file.documents.length);
  const found = file.documents.slice();
  if (aspect !== null) keepRegenerated(found, segment, name, embedder);
  return found;
}

/** Keeps documents whose vectors change with their content. */
function keepRegenerated(
  bits: Uint32Array,
  segment: SegmentReader,
  name: string,
  embedder: EmbedderSettings,
): void {
  const makes = makesVectors(embedder);
  const saysSomething = segment.shapes.map((fields) => fields.includes(VECTORS_FIELD));
  forEachBit(bits.slice(), (docId) => {
    const isRegenerated =
      saysSomething[segment.shapeOf(docId)] === true
        ? regeneratesVectors(segment, docId, name, makes)
        : makes;
    if (!isRegenerated) clearBit(bits, docId);
  });
}

/** Names of the fragments of an embedder for documents. */
export const fragmentsOf = ({
  indexingEmbedder,
  indexingFragments = indexingEmbedder?.indexingFragments,
}: EmbedderSettings): string[] => Object.keys(indexingFragments ?? {});
