/** Documents by what they have of embedders: the filter `_vectors` (relevance.md 5.1). */
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

/** The embedders have been checked (filter-permissions.ts). */
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

/** Documents of a file, dead ones included, as a bitset of the caller's. */
function withAspect(
  aspect: VectorsCondition['aspect'],
  file: VectorsFile,
  segment: SegmentReader,
  name: string,
  embedder: EmbedderSettings,
): Uint32Array {
  if (typeof aspect === 'object' && aspect !== null)
    return file.documentsOfFragment(aspect.fragment);
  // Such an embedder makes no vectors from its template.
  if (aspect === 'documentTemplate' && fragmentsOf(embedder).length > 0)
    return new Uint32Array(file.documents.length);
  const found = file.documents.slice();
  if (aspect !== null) keepMaker(found, aspect === 'userProvided', segment, name, embedder);
  return found;
}

/** Keeps those that have vectors of their own, or those whose vectors the embedder has made. */
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

/** Names of the fragments that documents are embedded by. */
export const fragmentsOf = ({
  indexingEmbedder,
  indexingFragments = indexingEmbedder?.indexingFragments,
}: EmbedderSettings): string[] => Object.keys(indexingFragments ?? {});
