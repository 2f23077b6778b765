/** Columns of a segment that exists, from its stored documents. */
import { createColumnsBuilder } from '../engine/columns/columns-builder.ts';
import { JsonTape } from '../engine/json/json-tape.ts';
import type { SegmentReader } from '../engine/segment/segment.ts';
import { hasBit } from '../engine/sets/bitset.ts';
import { checkedGeoFields, columnRules } from './column-coverage.ts';
import { checkGeoFields } from './document-geo.ts';

/**
 * Bytes of a columns file with all documents of the segment, dead ones too.
 * @param known paths that keep their column even when no document has them
 * @throws ApiError `invalid_document_geo_field` when the patterns name `_geo` and a living document has none that is well formed
 */
export function buildColumns(
  segment: SegmentReader,
  dead: Uint32Array | null,
  patterns: readonly string[],
  known: readonly string[] = [],
): Uint8Array[] {
  const builder = createColumnsBuilder(columnRules(patterns), known);
  const geoFields = checkedGeoFields(patterns);
  const tape = new JsonTape();
  for (const docId of segment.docIds) {
    const json = segment.readDocument(docId);
    tape.scan(json, 0, json.length);
    if (geoFields.length > 0 && (dead === null || !hasBit(dead, docId))) {
      checkGeoFields(tape, geoFields, () => new TextDecoder().decode(segment.documentId(docId)));
    }
    builder.addDocument(docId, tape);
  }
  return builder.finish();
}
