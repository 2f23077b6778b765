/**
 * The file of columns, in the frame of segment-format.ts with the magic "GANNETCO". Sections:
 *
 *   meta      u32 documents of the segment, u32 first DocId, u32 columns, u32 zero
 *   docIds    u32 × documents: ascending DocIds; empty when they are consecutive
 *   paths     JSON: field paths in ascending order of their code units
 *   geo       points of `_geo` (geo-points-writer.ts); only when the coverage names `_geo`
 *   shapes    shapes of `_geojson` (geo-shapes.ts); only when the coverage names `_geojson`
 *   16 + i    column of path i: parts as in column-parts.ts
 *               rows of documents and values: value-postings-writer.ts; strings: value-dictionary.ts,
 *               value-spellings.ts; marks: rank-set.ts
 */
import { asciiBytes } from '../segment/segment-format.ts';

export const COLUMNS_MAGIC = asciiBytes('GANNETCO');

export const ColumnsSection = {
  meta: 1,
  docIds: 2,
  paths: 3,
  geo: 4,
  shapes: 5,
  firstColumn: 16,
} as const;

export const COLUMNS_META_WORDS = 4;
