/** The filter `_vectors`: documents by the vectors they have (relevance.md 5.1). */
import type { SegmentReader } from '../../engine/segment/segment.ts';
import { andNotInto, clearBit, forEachBit, orInto } from '../../engine/sets/bitset.ts';
import type { VectorsFile } from '../../engine/vectors/vectors-reader.ts';
import { makesVectors } from '../../model/embedders/embedder-dimensions.ts';
import { type EmbedderSettings, VECTORS_FIELD } from '../../model/embedders/embedder-settings.ts';
import type { VectorsCondition } from '../../model/filter/filter-node.ts';
import type { Settings } from '../../model/settings.ts';
import { DocSet } from '../sets/doc-set.ts';
import { ownsVectors } from '../snapshot/document-vectors.ts';
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
      if (file === undefined) return;
      const found = withAspect(aspect, file, segment, name, embedder);
      if (dead[s]) andNotInto(found, dead[s]);
      orInto(all, found);
    });
  }
  return DocSet.fromBits(all);
}

/** Documents of a file, deleted ones included, as a bitset; the caller owns it. */
function withAspect(
  aspect: VectorsCondition['aspect'],
  file: VectorsFile,
  segment: SegmentReader,
  name: string,
  embedder: EmbedderSettings,
): Uint32Array {
  if (typeof aspect === 'object' && aspect !== null)
    return file.documentsOfFragment(aspect.fragment);
  // Such an embedder generates no vectors from its template.
  if (aspect === 'documentTemplate' && fragmentsOf(embedder).length > 0)
    return new Uint32Array(file.documents.length);
  const found = file.documents.slice();
  if (aspect !== null) keepMaker(found, aspect === 'userProvided', segment, name, embedder);
  return found;
}

/** Keeps documents with user-provided vectors, or documents with generated vectors. */
function keepMaker(
  bits: Uint32Array,
  wantsOwn: boolean,
  segment: SegmentReader,
  name: string,
  embedder: EmbedderSettings,
): void {
  const makes = makesVectors(embedder);
  const saysSomething = segment.shapes.map((fields) => fields.includes(VECTORS_FIELD));
  forEachBit(bits.slice(), (docId) => {
    const isOwn =
      !makes ||
      (saysSomething[segment.shapeOf(docId)] === true && ownsVectors(segment, docId, name));
    if (isOwn !== wantsOwn) clearBit(bits, docId);
  });
}

/** Names of the fragments of an embedder for documents. */
export const fragmentsOf = ({
  indexingEmbedder,
  indexingFragments = indexingEmbedder?.indexingFragments,
}: EmbedderSettings): string[] => Object.keys(indexingFragments ?? {});
