/**
 * The component for field values in filters, sorting, facets and distinct. A coverage is a list of
 * attribute patterns; the files of a segment share no field.
 */

import { ApiError } from '../../core/errors.ts';
import { encodeUtf8 } from '../../engine/bytes/utf8.ts';
import { ColumnsFileBuilder } from '../../engine/columns/columns-file-builder.ts';
import { ColumnsReader } from '../../engine/columns/columns-reader.ts';
import { GEO_FIELD, readGeoPoint } from '../../engine/columns/geo-field.ts';
import { GEOJSON_FIELD, readGeoJson, tapeValue } from '../../engine/columns/geo-json.ts';
import { rangeEquals } from '../../engine/json/json-string.ts';
import { JsonKind, type JsonTape } from '../../engine/json/json-tape.ts';
import { shownJson } from '../../engine/json/shown-json.ts';
import type { PartBuilder, SegmentComponent } from '../contract/component.ts';
import { addStoredDocuments } from '../contract/stored-documents-feed.ts';
import { checkedGeoFields, columnPatterns, columnRules, planColumns } from './column-coverage.ts';

interface GeoField {
  readonly name: string;
  readonly nameBytes: Uint8Array;
  readonly expected: string;
  isWellFormed(tape: JsonTape, value: number): boolean;
}

const FIELDS: readonly GeoField[] = [
  {
    name: GEO_FIELD,
    nameBytes: encodeUtf8(GEO_FIELD),
    expected:
      'null or an object with exactly `lat` and `lng`, each a number or a string that holds one',
    isWellFormed: (tape, value) =>
      tape.kind(value) === JsonKind.null || readGeoPoint(tape, value) !== null,
  },
  {
    name: GEOJSON_FIELD,
    nameBytes: encodeUtf8(GEOJSON_FIELD),
    expected: 'a GeoJSON geometry, Feature or FeatureCollection',
    isWellFormed: (tape, value) => readGeoJson(tapeValue(tape, value)) !== null,
  },
];

/**
 * @param names of the fields to check
 * @throws ApiError `invalid_document_geo_field`
 */
function checkGeoFields(tape: JsonTape, names: readonly string[], documentId: () => string): void {
  const fields = FIELDS.filter(({ name }) => names.includes(name));
  const after = tape.next(0);
  for (let key = 1; key < after; key = tape.next(key + 1)) {
    for (const { name, nameBytes, expected, isWellFormed } of fields) {
      if (!rangeEquals(tape.bytes, tape.start(key) + 1, tape.end(key) - 1, nameBytes)) continue;
      const value = key + 1;
      if (isWellFormed(tape, value)) continue;
      throw new ApiError(
        'invalid_document_geo_field',
        `Document \`${documentId()}\`: \`${name}\` must be ${expected}, but it is \`${shownJson(tape, value)}\``,
      );
    }
  }
}

type Patterns = readonly string[];

/** @param known paths that have a column even if no document has a value */
function valuesBuilder(patterns: Patterns, known: readonly string[] = []) {
  const columns = new ColumnsFileBuilder(columnRules(patterns), known);
  return {
    get memoryBytes() {
      return columns.memoryBytes;
    },
    add: (docId: number, _id: Uint8Array, tape: JsonTape) => columns.addDocument(docId, tape),
    finish: () => columns.finish(),
  } satisfies PartBuilder;
}

export const columnsComponent: SegmentComponent<Patterns, ColumnsReader> = {
  extension: '.col',
  describe: (patterns) => `columns of ${patterns.map((name) => JSON.stringify(name)).join(', ')}`,
  plan: (files, settings) => {
    const { kept, build } = planColumns(files, columnPatterns(settings));
    return { kept, build: build.length === 0 ? [] : [build] };
  },
  check: (settings) => {
    const fields = checkedGeoFields(columnPatterns(settings));
    return fields.length === 0
      ? null
      : (tape, documentId) => checkGeoFields(tape, fields, documentId);
  },
  addedFrom: 'documents',
  parts: [{ lane: 1, builder: ({ covers }) => valuesBuilder(covers) }],
  frame: ([file]) => file as Uint8Array[],
  // A seen field keeps its column, even if all its documents are deleted.
  merge: ({ covers, sources, documents }) => {
    const known = sources.flatMap(({ files }) => files.flatMap(({ reader }) => reader.paths));
    const values = valuesBuilder(covers, known);
    if (documents !== null) addStoredDocuments(documents, null, values);
    return values.finish();
  },
  open: (name, bytes) => new ColumnsReader(name, bytes),
};
