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

/** An embedder in one segment. */
interface EmbedderPart {
  readonly segment: SegmentReader;
  readonly file: VectorsFile | undefined;
  readonly name: string;
  readonly embedder: EmbedderSettings;
}

/** The caller has checked the embedders (filter-permissions.ts). */
export function documentsWithVectors(
  { segments, vectors, dead, bitsetLength, manifest }: VectorsSource,
  { embedder: wanted, aspect }: VectorsCondition,
): DocSet {
  const all = new Uint32Array(bitsetLength);
  for (const [name, embedder] of Object.entries(manifest.settings.embedders)) {
    if (wanted !== null && wanted !== name) continue;
    segments.forEach((segment, s) => {
      const part = { segment, file: vectors[s]!.get(name), name, embedder };
      const found =
        aspect === 'userProvided' ? withOwn(part, bitsetLength) : withAspect(part, aspect);
      if (found === null) return;
      if (dead[s]) andNotInto(found, dead[s]);
      orInto(all, found);
    });
  }
  return DocSet.fromBits(all);
}

/**
 * Documents that bring vectors, or say that they have none; deleted ones included. An embedder that
 * makes no vectors has only those.
 */
function withOwn(
  { segment, file, name, embedder }: EmbedderPart,
  bitsetLength: number,
): Uint32Array {
  const found = new Uint32Array(bitsetLength);
  if (file !== undefined && !makesVectors(embedder)) orInto(found, file.documents);
  const saysSomething = vectorsFieldTest(segment);
  for (const docId of segment.docIds)
    if (saysSomething(docId) && ownsVectors(segment, docId, name)) setBit(found, docId);
  return found;
}

/** Documents of a file, deleted ones included, as a bitset; the caller owns it. */
function withAspect(
  part: EmbedderPart,
  aspect: Exclude<VectorsCondition['aspect'], 'userProvided'>,
): Uint32Array | null {
  const { file, embedder } = part;
  if (file === undefined) return null;
  if (aspect === null) return file.documents.slice();
  if (typeof aspect === 'object') return file.documentsOfFragment(aspect.fragment);
  // Such embedders generate no vectors from a template.
  const hasNoTemplate = fragmentsOf(embedder).length > 0 || !makesVectors(embedder);
  return aspect === 'documentTemplate' && hasNoTemplate
    ? null
    : regenerated(file.documents.slice(), part);
}

/** Keeps documents whose vectors change with their content. */
function regenerated(bits: Uint32Array, { segment, name, embedder }: EmbedderPart): Uint32Array {
  const makes = makesVectors(embedder);
  const saysSomething = vectorsFieldTest(segment);
  forEachBit(bits.slice(), (docId) => {
    const isRegenerated = saysSomething(docId)
      ? regeneratesVectors(segment, docId, name, makes)
      : makes;
    if (!isRegenerated) clearBit(bits, docId);
  });
  return bits;
}

/** Returns whether a document of the segment has the member `_vectors`. */
function vectorsFieldTest(segment: SegmentReader): (docId: number) => boolean {
  const byShape = segment.shapes.map((fields) => fields.includes(VECTORS_FIELD));
  return (docId) => byShape[segment.shapeOf(docId)] === true;
}

/** Names of the fragments of an embedder for documents. */
export const fragmentsOf = ({
  indexingEmbedder,
  indexingFragments = indexingEmbedder?.indexingFragments,
}: EmbedderSettings): string[] => Object.keys(indexingFragments ?? {});
